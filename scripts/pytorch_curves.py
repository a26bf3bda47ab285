#!/usr/bin/env python3
"""Trains qkvlab's token model in PyTorch and writes its curves as CSV, a file a seed, for
`qkvlab check FILE --curves DIR` and `qkvlab baseline record --curves DIR`. An example of how any
training code can be guarded: write step, loss and, if they are at hand, grad_norm and accuracy.

    scripts/pytorch_curves.py --out runs                        Sort, variant kv, seeds 0-9
    scripts/pytorch_curves.py --out runs --fault score-scale    the same with a planted fault

The sizes are those of `qkvlab list presets guard`. Data and weights follow the same laws as
qkvlab's, drawn by PyTorch's generator: so the curves differ as those of other seeds do.
"""
import argparse
import csv
import math
import os
import sys

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    sys.exit("pytorch_curves.py needs PyTorch, which this python3 (" + sys.executable + ") has not. On Debian and "
             "Ubuntu: apt-get install python3-torch, then run it with /usr/bin/python3")

SLOTS = {"qkv": "qkv", "qk": "qqv", "kv": "qkk", "qv": "qkq", "qkv_tied": "qqq"}  # slot of Q, K, V
TASKS = {"reverse": lambda x: x.flip(1), "sort": lambda x: x.sort(1).values, "copy": lambda x: x}
FAULTS = ["norm-epsilon", "score-scale", "bias-correction", "warmup", "lost-head", "learning-rate", "tanh-gelu"]
N_SYMBOL, N_POSITION = 10, 128
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Block(nn.Module):
    def __init__(self, options):
        super().__init__()
        d, epsilon = options.n_embd, 1e-3 if options.fault == "norm-epsilon" else 1e-5
        self.options, self.roles = options, SLOTS[options.variant]
        self.ln1, self.ln2 = nn.LayerNorm(d, eps=epsilon), nn.LayerNorm(d, eps=epsilon)
        self.slot = nn.ModuleDict({name: nn.Linear(d, d) for name in sorted(set(self.roles))})
        self.out, self.fc1, self.fc2 = nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def attention(self, x):
        b, t, d = x.shape
        h = self.options.n_head
        projected = {name: slot(x).view(b, t, h, d // h).transpose(1, 2) for name, slot in self.slot.items()}
        q, k, v = (projected[name] for name in self.roles)
        scale = 1 if self.options.fault == "score-scale" else 1 / math.sqrt(d // h)
        mixed = (q @ k.transpose(-2, -1) * scale).softmax(-1) @ v
        if self.options.fault == "lost-head":
            mixed = torch.cat([torch.zeros_like(mixed[:, :1]), mixed[:, 1:]], 1)
        return self.out(mixed.transpose(1, 2).reshape(b, t, d))

    def gelu(self, x):
        if self.options.fault == "tanh-gelu":
            return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
        return F.gelu(x)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.fc2(self.gelu(self.fc1(self.ln2(x))))


class Encoder(nn.Module):
    def __init__(self, options):
        super().__init__()
        d = options.n_embd
        self.embed = nn.Linear(N_SYMBOL, d)
        self.position = nn.Parameter(torch.randn(N_POSITION, d))
        self.blocks = nn.Sequential(*(Block(options) for _ in range(options.n_layer)))
        self.ln = nn.LayerNorm(d, eps=1e-3 if options.fault == "norm-epsilon" else 1e-5)
        self.head = nn.Linear(d, N_SYMBOL)

    def forward(self, ids):
        x = self.embed(F.one_hot(ids, N_SYMBOL).float()) + self.position[:ids.shape[1]]
        return self.head(self.ln(self.blocks(x)))


class Adam:
    """As torch.optim.Adam, but its bias correction can be left out."""

    def __init__(self, parameters, corrects):
        self.parameters, self.corrects, self.step_count = list(parameters), corrects, 0
        self.m = [torch.zeros_like(p) for p in self.parameters]
        self.v = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def step(self, rate):
        self.step_count += 1
        first = 1 - BETA1 ** self.step_count if self.corrects else 1
        second = 1 - BETA2 ** self.step_count if self.corrects else 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            m.mul_(BETA1).add_(p.grad, alpha=1 - BETA1)
            v.mul_(BETA2).addcmul_(p.grad, p.grad, value=1 - BETA2)
            p.sub_(rate / first * m / ((v / second).sqrt() + EPSILON))
            p.grad = None


def learning_rate(options, step, n_step):
    """Linear warm-up, then a cosine to 0: the schedule of src/lab/training/train.h."""
    warm = max(1, math.floor(options.warmup * n_step))
    if options.fault == "warmup":
        warm += n_step // options.epochs
    peak = options.learning_rate * (0.9 if options.fault == "learning-rate" else 1)
    if step < warm:
        return peak * (step + 1) / warm
    return peak / 2 * (1 + math.cos(math.pi * (step - warm) / (n_step - warm)))


def train(options, seed):
    """Yields step, loss, norm of the gradient and accuracy, of each batch before the update."""
    torch.manual_seed(seed)
    inputs = torch.randint(N_SYMBOL, (options.n_train, options.seq_len))
    targets = TASKS[options.task](inputs)
    model = Encoder(options)
    adam = Adam(model.parameters(), options.fault != "bias-correction")
    in_epoch = math.ceil(options.n_train / options.batch_size)
    for step in range(options.epochs * in_epoch):
        if step % in_epoch == 0:
            order = torch.randperm(options.n_train)
        chosen = order[step % in_epoch * options.batch_size:][:options.batch_size]
        logits = model(inputs[chosen])
        loss = F.cross_entropy(logits.reshape(-1, N_SYMBOL), targets[chosen].reshape(-1))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        adam.step(learning_rate(options, step, options.epochs * in_epoch))
        yield step, loss.item(), float(norm), (logits.argmax(-1) == targets[chosen]).float().mean().item()


def seeds_of(text):
    seeds = []
    for word in text.split(","):
        first, _, last = word.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the CSV files")
    parser.add_argument("--seeds", type=seeds_of, default=seeds_of("0-9"), help="such as 0-9 or 3,5 (default 0-9)")
    parser.add_argument("--task", choices=TASKS, default="sort")
    parser.add_argument("--variant", choices=SLOTS, default="kv")
    parser.add_argument("--fault", choices=FAULTS, help="plant a fault, to see it caught")
    sizes = {"n-embd": 32, "n-layer": 2, "n-head": 2, "seq-len": 16, "n-train": 2560, "batch-size": 128, "epochs": 6}
    numbers = {"learning-rate": 0.003, "warmup": 0.05, "clip": 5.0}
    for name, value in {**sizes, **numbers}.items():
        parser.add_argument("--" + name, type=type(value), default=value, help=f"default {value}")
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(options.out, exist_ok=True)
    for seed in options.seeds:
        with open(os.path.join(options.out, f"seed_{seed}.csv"), "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["step", "loss", "grad_norm", "accuracy"])
            writer.writerows(train(options, seed))


if __name__ == "__main__":
    main()
