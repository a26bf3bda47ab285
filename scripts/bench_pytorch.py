#!/usr/bin/env python3
"""Training speed of qkvlab beside PyTorch, on the same model, batch and machine.

Both programs make whole training steps: next shuffled batch, forward, backward, gradient clipping,
Adam. They take turns, so that a machine that is slow for a while slows both, and the ratio is taken
within each turn. PyTorch gets the best of the numbers of threads, and flushes denormals as qkvlab
does. It needs a fast BLAS behind it: a comparison with the reference BLAS is refused.

    scripts/bench_pytorch.py                                   the standard shapes
    scripts/bench_pytorch.py d64-L2-H4-T64 --variant qk        one shape, another variant
    scripts/bench_pytorch.py --markdown reports/speed/pytorch.md       the table, with machine and versions
"""
import argparse
import ctypes
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    sys.exit("bench_pytorch.py needs PyTorch, which this python3 (" + sys.executable + ") has not. On Debian and "
             "Ubuntu: apt-get install python3-torch libopenblas0-pthread, then run it with /usr/bin/python3")

SHAPES = ["d32-L2-H2-T16", "d64-L2-H4-T16", "d64-L2-H4-T64", "d256-L4-H4-T128", "d32-L2-H2-T128", "d256-L4-H4-T16",
          "vit28-p4-d64-L2-H2", "vit32-p4-d64-L2-H4"]
SLOTS = {"qkv": "qkv", "qk": "qqv", "kv": "qkk", "qv": "qkq", "qkv_tied": "qqq"}  # slot of Q, K, V
BATCH, N_TRAIN, N_SYMBOL, N_POSITION, DROPOUT = 128, 10000, 10, 128, 0.1
IMAGES = {28: ("mnist", 1, 10), 32: ("cifar10", 3, 10), 64: ("tinyimagenet", 3, 200)}  # by pixels: channels, classes


# ---- the model ---------------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, d, n_head, variant):
        super().__init__()
        self.n_head = n_head
        self.roles = SLOTS[variant]
        self.slot = nn.ModuleDict({name: nn.Linear(d, d) for name in sorted(set(self.roles))})
        self.out = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        projected = {name: linear(x).view(b, t, self.n_head, d // self.n_head).transpose(1, 2)
                     for name, linear in self.slot.items()}
        q, k, v = (projected[name] for name in self.roles)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.n_head)
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d, n_head, variant, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.ln1, self.attention = nn.LayerNorm(d), Attention(d, n_head, variant)
        self.ln2, self.fc1, self.fc2 = nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.drop(self.fc2(self.drop(F.gelu(self.fc1(self.ln2(x))))))


class Encoder(nn.Module):
    def __init__(self, d, n_layer, n_head, n_position, variant):
        super().__init__()
        self.embed = nn.Linear(N_SYMBOL, d)
        self.position = nn.Parameter(torch.randn(n_position, d))
        self.blocks = nn.Sequential(*(Block(d, n_head, variant) for _ in range(n_layer)))
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, N_SYMBOL)

    def forward(self, ids):
        x = self.embed(F.one_hot(ids, N_SYMBOL).float()) + self.position[:ids.shape[1]]
        return self.head(self.ln(self.blocks(x)))


class VisionTransformer(nn.Module):
    def __init__(self, d, n_layer, n_head, image, patch, variant):
        super().__init__()
        _, n_channel, n_class = IMAGES[image]
        self.patches = nn.Conv2d(n_channel, d, patch, stride=patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d))
        self.position = nn.Parameter(0.02 * torch.randn(1 + (image // patch) ** 2, d))
        self.drop = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*(Block(d, n_head, variant, DROPOUT) for _ in range(n_layer)))
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, n_class)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], 1) + self.position
        return self.head(self.ln(self.blocks(self.drop(x))[:, 0]))


class Training:
    """The steps of one model: Reverse for token shapes, noise with labels for images."""

    def __init__(self, shape, variant):
        torch.manual_seed(0)
        d, n_layer, n_head = shape["n_embd"], shape["n_layer"], shape["n_head"]
        if "patch" in shape:
            self.model = VisionTransformer(d, n_layer, n_head, shape["image"], shape["patch"], variant)
            _, n_channel, n_class = IMAGES[shape["image"]]
            self.inputs = torch.randn(N_TRAIN, n_channel, shape["image"], shape["image"])
            self.targets = torch.randint(n_class, (N_TRAIN,))
            self.clip = None
        else:
            n_token = shape["seq_len"]
            self.model = Encoder(d, n_layer, n_head, max(N_POSITION, n_token), variant)
            self.inputs = torch.randint(N_SYMBOL, (N_TRAIN, n_token))
            self.targets = self.inputs.flip(1)
            self.clip = 5.0
        self.adam = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.order, self.at = torch.randperm(N_TRAIN), 0

    def next_batch(self):
        if self.at + BATCH > N_TRAIN:
            self.order, self.at = torch.randperm(N_TRAIN), 0
        chosen = self.order[self.at:self.at + BATCH]
        self.at += BATCH
        return self.inputs[chosen], self.targets[chosen]

    def step(self):
        start = time.perf_counter()
        inputs, targets = self.next_batch()
        self.adam.zero_grad(set_to_none=True)
        logits = self.model(inputs)
        F.cross_entropy(logits.reshape(-1, N_SYMBOL), targets.reshape(-1)).backward()
        if self.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.adam.step()
        return time.perf_counter() - start

    def measure(self, seconds):
        """The median time of a step, over about so many seconds and at least one step."""
        end, times = time.perf_counter() + seconds, [self.step()]
        if times[0] < seconds / 10:
            times.clear()  # the first one found cold caches
        while not times or time.perf_counter() < end:
            times.append(self.step())
        return statistics.median(times)


# ---- PyTorch's BLAS ----------------------------------------------------------------------------------


class SymbolInfo(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def loaded_libraries():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if "/" in line}


def library_of_sgemm():
    """The file whose sgemm_ PyTorch calls: the first one among libtorch_cpu and what it depends on."""
    torch_cpu = next((path for path in loaded_libraries() if "libtorch_cpu" in path), None)
    if torch_cpu is None:
        return None
    try:
        address = ctypes.cast(ctypes.CDLL(torch_cpu).sgemm_, ctypes.c_void_p)
    except AttributeError:
        return None  # not exported: linked into PyTorch
    info = SymbolInfo()
    ctypes.CDLL(None).dladdr(address, ctypes.byref(info))
    return os.path.realpath(info.file.decode())


def describe_openblas(path):
    library = ctypes.CDLL(path)
    library.openblas_get_config.restype = ctypes.c_char_p
    return f"{path} ({library.openblas_get_config().decode()})"


def find_blas():
    """Path and description of the BLAS that PyTorch multiplies with; the path is None for one inside of PyTorch.
    Ends the program where that is the reference BLAS."""
    inside = re.search(r"BLAS_INFO=(mkl|open|flexi|veclib|accelerate)", torch.__config__.show())
    path = library_of_sgemm() if os.path.exists("/proc/self/maps") else None
    if path and hasattr(ctypes.CDLL(path), "openblas_get_config"):
        return path, describe_openblas(path)
    if path and any(name in path for name in ("mkl", "blis", "atlas")):
        return path, path
    if inside:
        return None, inside.group(1)
    sys.exit(f"PyTorch multiplies matrices with {path or 'an unknown library'}: the reference BLAS, or nothing known to "
             "be fast.\nA comparison with it would mean nothing. Install OpenBLAS and choose it:\n"
             "  apt-get install libopenblas0-pthread\n"
             f"  update-alternatives --config libblas.so.3-{platform.machine()}-linux-gnu")


def set_threads(n, blas):
    """PyTorch passes its number of threads on to MKL and OpenMP, not to OpenBLAS's own threads."""
    torch.set_num_threads(n)
    if blas and hasattr(ctypes.CDLL(blas), "openblas_set_num_threads"):
        ctypes.CDLL(blas).openblas_set_num_threads(n)


# ---- qkvlab ------------------------------------------------------------------------------------------


def run_qkvlab(options, shape, variant, seconds):
    settings = [f"{key}={value}" for key, value in shape.items() if key != "image"] + [f"batch_size={BATCH}"]
    if "patch" in shape:
        settings += [f"task={IMAGES[shape['image']][0]}", f"n_train={N_TRAIN}"]
    else:
        settings += [f"n_train={N_TRAIN}", f"n_position={max(N_POSITION, shape['seq_len'])}"]
    command = [options.qkvlab, "bench", "--quiet", "--format", "json", "--rounds", "1", "--seconds", str(seconds),
               "--threads", str(max(options.threads)), "--variant", variant]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit("this failed, as said above: " + " ".join(command))
    return json.loads(done.stdout)[0]


def version_of_qkvlab(options):
    try:
        lines = subprocess.run([options.qkvlab, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"cannot run {options.qkvlab}: {error}; build it (cmake -S . -B build && cmake --build build), "
                 "or name it with --qkvlab")
    facts = dict(line.split(None, 1) for line in lines.splitlines()[1:] if len(line.split(None, 1)) == 2)
    return lines.splitlines()[0], facts


# ---- turns -------------------------------------------------------------------------------------------


def parse_shape(name):
    tokens = re.fullmatch(r"d(?P<n_embd>\d+)-L(?P<n_layer>\d+)-H(?P<n_head>\d+)-T(?P<seq_len>\d+)", name)
    image = re.fullmatch(r"vit(?P<image>\d+)-p(?P<patch>\d+)-d(?P<n_embd>\d+)-L(?P<n_layer>\d+)-H(?P<n_head>\d+)", name)
    match = tokens or image
    if not match:
        sys.exit(f"expected a shape such as d64-L2-H4-T64 (width, layers, heads, tokens) or vit28-p4-d64-L2-H2, found '{name}'")
    shape = {key: int(value) for key, value in match.groupdict().items()}
    if min(shape.values()) == 0 or shape["n_embd"] % shape["n_head"] != 0:
        sys.exit(f"{name}: the width must be a multiple of the number of heads")
    if image and (shape["image"] not in IMAGES or shape["image"] % shape["patch"] != 0):
        sys.exit(f"{name}: images have {', '.join(map(str, IMAGES))} pixels, and the patch must divide them")
    return shape


def compare(options, name, blas):
    """Times of both programs, turn by turn."""
    shape = parse_shape(name)
    training = Training(shape, options.variant)
    ours, theirs = [], {n: [] for n in options.threads}
    for n in options.threads:
        set_threads(n, blas)
        training.step()
    for turn in range(options.rounds):
        if sys.stderr.isatty():
            print(f"\r{name}: turn {turn + 1} of {options.rounds} ", end="", file=sys.stderr)
        ours.append(run_qkvlab(options, shape, options.variant, options.seconds))
        for n in options.threads:
            set_threads(n, blas)
            theirs[n].append(training.measure(options.seconds))
    if sys.stderr.isatty():
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return summarise(name, ours, theirs)


def summarise(name, ours, theirs):
    best = min(theirs, key=lambda n: statistics.median(theirs[n]))
    our_ms = [row["step_ms"] for row in ours]
    their_ms = [1e3 * seconds for seconds in theirs[best]]
    ceiling = max(row["ceiling_gflop_per_second"] for row in ours)
    return {
        "shape": name,
        "ours": our_ms,
        "theirs": their_ms,
        "threads": best,
        "ratio": [b / a for a, b in zip(our_ms, their_ms)],
        "share": ours[0]["step_flop"] / statistics.median(our_ms) / 1e6 / ceiling,
    }


# ---- the table ---------------------------------------------------------------------------------------

HEAD = ["shape", "qkvlab ms", "PyTorch ms", "its threads", "ratio", "share of ceiling"]


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def cells(row):
    return [row["shape"], spread(row["ours"], 2), spread(row["theirs"], 2), str(row["threads"]),
            spread(row["ratio"], 1), f"{row['share']:.2f}"]


def print_table(rows):
    table = [HEAD] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def cpu_name():
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            return re.search(r"model name\s*: (.*)", cpuinfo.read()).group(1)
    except (OSError, AttributeError):
        return platform.processor() or platform.machine()


def facts_of_run(options, blas):
    name, facts = version_of_qkvlab(options)
    return [
        ("machine", f"{cpu_name()}, {len(os.sched_getaffinity(0))} processors"),
        ("qkvlab", f"{name.split()[1]}, commit {facts.get('commit')}, {facts.get('compiler')}, {facts.get('blas')}, "
                   f"{max(options.threads)} threads"),
        ("PyTorch", f"{torch.__version__}, python {platform.python_version()}, BLAS {blas}, best of "
                    f"{' and '.join(map(str, options.threads))} threads"),
        ("model", f"variant {options.variant}, batch {BATCH}; a step is batch, forward, backward, clipping (not for images), "
                  "Adam; images with dropout 0.1"),
        ("turns", f"{options.rounds}; medians, and in brackets the least and the most of a turn"),
    ]


def write_markdown(path, rows, facts):
    lines = ["# Speed beside PyTorch", ""]
    lines += ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    lines += [""] + [f"- {key}: {value}" for key, value in facts]
    lines += ["", "Made by `scripts/bench_pytorch.py`. The ceiling is the best rate of all threads multiplying "
                  "1024 x 1024", "matrices at the same time (`qkvlab bench --help`).", ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))


def whole_number(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found '{text}'")
    return int(text)


def parse_options():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="such as d64-L2-H4-T64 (default: the standard list)")
    parser.add_argument("--variant", default="qkv", choices=list(SLOTS))
    parser.add_argument("--rounds", type=whole_number, default=7, help="turns of each program (default 7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of measuring in a turn (default 1)")
    parser.add_argument("--threads", type=lambda text: [whole_number(n) for n in text.split(",")], default=[1, 2],
                        help="PyTorch gets the best of these, qkvlab the most (default 1,2)")
    parser.add_argument("--qkvlab", default=os.path.join(here, "..", "build", "qkvlab"), help="the program")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there too, with machine and versions")
    options = parser.parse_args()
    options.qkvlab = os.path.normpath(options.qkvlab)
    return options


def main():
    options = parse_options()
    for name in options.shapes:
        parse_shape(name)
    torch.set_flush_denormal(True)
    blas, described = find_blas()
    facts = facts_of_run(options, described)
    for key, value in facts:
        print(f"{key}: {value}", file=sys.stderr)
    print(torch.__config__.show(), file=sys.stderr)
    rows = [compare(options, name, blas) for name in options.shapes or SHAPES]
    print_table(rows)
    if options.markdown:
        write_markdown(options.markdown, rows, facts)


if __name__ == "__main__":
    main()
