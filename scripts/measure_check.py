#!/usr/bin/env python3
"""What `qkvlab check` notices, and how often it is wrong: writes reports/check/README.md.

Each planted fault is trained with the seeds of the baseline (tiers exact and paired) and with others (tier band), and
compared on the first 1, 2, 3, 5 and 10 seeds. False alarms are counted over clean checks: of the tier exact, runs at
several numbers of threads; of paired, other cuts of the batch (lanes, micro-batches), none of which the baseline was
calibrated with; of band, disjoint groups of ten seeds each out of a pool, dealt anew several times. Where a python3 has PyTorch, the
curves of scripts/pytorch_curves.py are compared with the baseline too, clean and with faults.

    cmake -S . -B build-faults -DQKVLAB_FAULTS=ON -DQKVLAB_TESTS=OFF && cmake --build build-faults -j2
    scripts/measure_check.py                        all of it, some two hours on two processors, most of it the clean checks of the tier paired
    scripts/measure_check.py --minutes 10           as far as that goes; the same command again goes on

Everything that was trained is kept in --work, so the script can be stopped at any time.
"""
import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time

SEEDS = 10
COUNTS = [1, 2, 3, 5, 10]
BAND_COUNTS = [3, 5, 10]
POOL, DEALS = 400, 10  # seeds of the pool; it gives 20 checks each time it is dealt
LEVEL = 0.01  # of the tier band
CUTS = [(lanes, micro) for micro in (8, 3, 1, 2, 5, 6, 7, 16) for lanes in
        (16, 4, 5, 12, 3, 7, 10, 13, 2, 6, 9, 11, 14, 15, 1, 17, 18, 19, 20, 21, 22, 24, 26, 28, 30, 32)
        if (lanes, micro) != (16, 8)]
N_CHECK = 200
PYTORCH_PART = "sort-kv"  # what scripts/pytorch_curves.py trains if not told otherwise
PYTORCH_RUNS = [(None, first) for first in range(0, 5 * SEEDS, SEEDS)] + [
    (fault, 0) for fault in ("score-scale", "bias-correction", "lost-head")]
WHY = {  # what a tier cannot see, and why; a fault that is caught needs none
    "swapped-samples": "a seed has its own order, and no order is more likely than another",
    "tanh-gelu": "the two GELUs differ by less than 5e-4 everywhere",
    "norm-epsilon": "most variances are far above 1e-3, so that little changes",
    "learning-rate": "10 % less of the rate moves a curve less than another seed does",
}


class Stop(Exception):
    pass


class Measuring:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + 60 * options.minutes
        os.makedirs(options.work, exist_ok=True)
        self.baseline = self.path("guard.json")

    def path(self, name):
        return os.path.join(self.options.work, name)

    def run(self, *words, accepted=(0,)):
        done = subprocess.run([self.options.qkvlab, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in accepted:
            sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode()

    def record(self, name, *words):
        """Trains into a file, unless it is there."""
        if not os.path.exists(self.path(name)):
            if time.monotonic() > self.end:
                raise Stop
            self.run("baseline", "record", "guard", "--quiet", "--output", self.path(name), *words)
        return self.path(name)

    def check(self, *words):
        return json.loads(self.run("check", *words, "--format", "json", accepted=(0, 1)))

    def remember(self, name, compute):
        """An answer that was computed before, or a new one; kept in answers.json."""
        path = self.path("answers.json")
        answers = json.load(open(path)) if os.path.exists(path) else {}
        if name not in answers:
            if time.monotonic() > self.end:
                raise Stop
            answers[name] = compute()
            with open(path + ".new", "w") as file:
                json.dump(answers, file)
            os.replace(path + ".new", path)
        return answers[name]

    # ---- faults

    def faults(self):
        text = subprocess.run([self.options.qkvlab, "check", self.baseline, "--fault", "?"], stderr=subprocess.PIPE)
        words = text.stderr.decode()
        if "there are " not in words:
            sys.exit(f"{self.options.qkvlab} has no planted faults: configure it with -DQKVLAB_FAULTS=ON")
        return [word.strip(" .)\n") for word in words.split("there are ")[1].split(",") if "none" not in word]

    def fault_answers(self, fault):
        same = self.record(f"{fault}-same.json", "--fault", fault, "--no-paired", "--seeds", f"0-{SEEDS - 1}")
        other = self.record(f"{fault}-other.json", "--fault", fault, "--no-paired", "--seeds", f"{SEEDS}-{2 * SEEDS - 1}")
        answers = {}
        for tier, file, first, counts in (("exact", same, 0, COUNTS), ("paired", same, 0, COUNTS),
                                          ("band", other, SEEDS, BAND_COUNTS)):
            for n in counts:
                words = [self.baseline, "--with", file, "--tier", tier, "--seeds", f"{first}-{first + n - 1}"]
                answers[f"{tier} {n}"] = self.remember(f"{fault} {tier} {n}", lambda: self.check(*words))
        return answers

    # ---- false alarms

    def exact_alarms(self):
        for i in range(N_CHECK):
            words = [self.baseline, "--tier", "exact", "--seeds", str(i % SEEDS), "--threads", str(1 + i % 7)]
            yield self.remember(f"clean exact {i}", lambda: self.check(*words)["passed"])

    def paired_alarms(self):
        """How many of the ten seeds are over their limits, under each cut; all of them alarm as soon as one is."""
        for lanes, micro in CUTS[:N_CHECK]:
            def compute():
                file = self.record("cut.json", "--no-paired", "--set", f"lanes={lanes}", "--set", f"micro_batch={micro}")
                words = [self.baseline, "--with", file, "--tier", "paired"]
                n_over = 0
                if not self.check(*words)["passed"]:
                    n_over = sum(not self.check(*words, "--seeds", str(seed))["passed"] for seed in range(SEEDS))
                os.remove(file)
                return n_over
            yield self.remember(f"clean paired {lanes} {micro}", compute)

    def pool(self):
        """All runs of the pool, by part and seed."""
        parts = None
        for first in range(1000, 1000 + POOL, 20):
            file = self.record(f"pool-{first}.json", "--no-paired", "--seeds", f"{first}-{first + 19}")
            with open(file) as opened:
                baseline = json.load(opened)
            if parts is None:
                parts = baseline
            else:
                for mine, more in zip(parts["parts"], baseline["parts"]):
                    mine["runs"] += more["runs"]
        return parts

    def write_group(self, pool, seeds, name):
        group = dict(pool)
        group["parts"] = [dict(part, runs=[run for run in part["runs"] if run["seed"] in seeds]) for part in pool["parts"]]
        with open(self.path(name), "w") as file:
            json.dump(group, file)
        return self.path(name)

    def band_alarms(self):
        pool, shuffler = None, random.Random(0)
        for deal in range(DEALS):
            seeds = list(range(1000, 1000 + POOL))
            shuffler.shuffle(seeds)
            for i in range(0, POOL, 2 * SEEDS):
                def compute():
                    old = self.write_group(pool, set(seeds[i:i + SEEDS]), "old.json")
                    new = self.write_group(pool, set(seeds[i + SEEDS:i + 2 * SEEDS]), "new.json")
                    return self.check(old, "--with", new, "--tier", "band")["p"]
                pool = pool or self.pool()
                yield self.remember(f"clean band {deal} {i}", compute) <= LEVEL

    # ---- another program

    def python_with_torch(self):
        for python in (sys.executable, "/usr/bin/python3"):
            if subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0:
                return python
        raise Stop

    def pytorch_curves(self, fault, first):
        """A folder of curves, trained unless it is there."""
        folder = self.path(f"pytorch-{fault or 'clean'}-{first}")
        if not os.path.exists(folder):
            python = self.python_with_torch()
            if time.monotonic() > self.end:
                raise Stop
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytorch_curves.py")
            words = ["--out", os.path.join(folder + ".new", PYTORCH_PART), "--seeds", f"{first}-{first + SEEDS - 1}"]
            subprocess.run([python, script, *words, *(["--fault", fault] if fault else [])], check=True)
            os.replace(folder + ".new", folder)
        return folder

    def pytorch_answers(self):
        for fault, first in PYTORCH_RUNS:
            def compute():
                return self.check(self.baseline, "--curves", self.pytorch_curves(fault, first))
            yield fault, first, self.remember(f"pytorch {fault or 'clean'} {first}", compute)


def until_stop(answers):
    """What was measured before the time was over."""
    measured = []
    try:
        for answer in answers:
            measured.append(answer)
    except Stop:
        pass
    return measured


def chance_of(alarms, n):
    """The probability of so many alarms or more among n independent checks, if LEVEL is their share."""
    return 1 - sum(math.comb(n, k) * LEVEL ** k * (1 - LEVEL) ** (n - k) for k in range(alarms))


def row_of_alarms(what, n, alarms):
    bound = f"{100 * upper_bound(alarms, n):.1f} %" if n else "-"
    return f"| {what} | {n} | {alarms} | {f'{100 * alarms / n:.1f} %' if n else '-'} | {bound} |"


def upper_bound(alarms, n):
    """The upper end of the one-sided 95 % interval of Clopper and Pearson, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p, term, total = (low + high) / 2, (1 - (low + high) / 2) ** n, 0.0
        for k in range(alarms + 1):
            total += term
            term *= (n - k) / (k + 1) * p / (1 - p)
        low, high = (p, high) if total > 0.05 else (low, p)
    return high


def seeds_needed(answers, tier, counts):
    found = [n for n in counts if not answers[f"{tier} {n}"]["passed"]]
    return min(found) if found else None


def shift_of_loss(measuring, fault):
    """The largest shift of the mean log loss, over parts and steps, in standard deviations over seeds."""
    largest = 0.0
    with open(measuring.baseline) as old, open(measuring.path(f"{fault}-same.json")) as new:
        parts = zip(json.load(old)["parts"], json.load(new)["parts"])
    for before, after in parts:
        for values in zip(*(run["loss"] for run in before["runs"] + after["runs"])):
            logs = [math.log(value) for value in values]
            n = len(before["runs"])
            sd = statistics.stdev(logs[:n])
            largest = max(largest, abs(statistics.fmean(logs[n:]) - statistics.fmean(logs[:n])) / sd)
    return largest


def table_of_faults(measuring):
    lines = ["| fault | exact | paired | band | the finding, tier paired |", "|---|---|---|---|---|"]
    caught, misses = {"exact": 0, "paired": 0, "band": 0}, []
    faults = measuring.faults()
    for fault in faults:
        try:
            answers = measuring.fault_answers(fault)
        except Stop:
            lines.append(f"| {fault} | not measured yet | | | |")
            continue
        cells = []
        for tier, counts in (("exact", COUNTS), ("paired", COUNTS), ("band", BAND_COUNTS)):
            n = seeds_needed(answers, tier, counts)
            caught[tier] += n is not None
            cells.append("missed" if n is None else f"{n} seed{'s' if n > 1 else ''}")
            if n is None:
                p = answers[f"{tier} {counts[-1]}"]["p"]
                misses.append(f"- {fault}, {tier}: {WHY.get(fault, 'below the noise of this tier')}. It shifts the loss by "
                              f"at most {shift_of_loss(measuring, fault):.2f} standard deviations of a seed"
                              + (f"; p = {p:.2g}" if p is not None else "") + ".")
        finding = answers["paired 10"]
        text = finding["differences"][0]["part"] + ": " + finding["finding"] if finding["finding"] else "none"
        lines.append(f"| {fault} | {' | '.join(cells)} | {text} |")
    lines.append(f"| caught, of {len(faults)} | " + " | ".join(str(caught[tier]) for tier in caught) + " | |")
    return lines, misses


def table_of_pytorch(measuring):
    lines = []
    try:
        for fault, first, answer in measuring.pytorch_answers():
            finding = answer["finding"] or "no difference"
            lines.append(f"| {fault or 'none'} | {first}-{first + SEEDS - 1} | {answer['p']:.2g} | {finding} |")
    except Stop:
        lines.append("| not all measured yet, or there is no PyTorch here | | | |")
    return lines


def write_report(measuring):
    table, misses = table_of_faults(measuring)
    band, exact = until_stop(measuring.band_alarms()), until_stop(measuring.exact_alarms())
    paired = until_stop(measuring.paired_alarms())
    rows = [row_of_alarms("band", len(band), sum(band)),
            row_of_alarms("exact", len(exact), len(exact) - sum(exact)),
            row_of_alarms("paired, one seed", SEEDS * len(paired), sum(paired)),
            row_of_alarms("paired, all ten", len(paired), sum(n_over > 0 for n_over in paired))]
    version = measuring.run("--version").splitlines()
    seconds = time.monotonic()
    measuring.check(measuring.baseline)
    seconds = time.monotonic() - seconds
    lines = [
        "# What `qkvlab check` notices", "",
        "Made by `scripts/measure_check.py` with the preset `guard` (`qkvlab list presets guard`): three configurations,",
        f"{SEEDS} seeds. {platform.processor() or platform.machine()}, {os.cpu_count()} processors, {version[0]}.", "",
        "## Planted faults", "",
        "The fewest seeds, of 1, 2, 3, 5 and 10 (band: 3, 5 and 10 new ones beside the baseline's 10), with which a",
        "tier notices the fault. `qkvlab check --help` says what the tiers are; what a fault is: tests/faults/fault.c.", "",
        *table, ""]
    if misses:
        lines += ["Not noticed, and why:", "", *misses, ""]
    lines += [
        "## False alarms", "",
        "Clean checks. band: two groups of ten seeds out of a pool of 400; groups of one deal have no seed in common, and",
        "the pool is dealt ten times. exact: one seed again at 1 to 7 threads. paired: seeds again with other lanes and",
        "micro-batches than those of the calibration; a check of ten seeds alarms as soon as one of them is over its limits.",
        "The bound is the end of a one-sided 95 % interval.", "",
        "| tier | checks | alarms | share | at most |", "|---|---|---|---|---|", *rows, "",
        f"The tier band is built for {100 * LEVEL:g} %: a permutation test, exact whatever the curves look like. A share of {100 * LEVEL:g} % gives",
        f"{sum(band)} alarms or more among {len(band)} checks with a probability of {chance_of(sum(band), len(band)):.2f}. It is a share over pairs of a",
        "baseline and new seeds; a baseline whose ten seeds happen to lie aside alarms more often, and one in the middle less.",
        "All but the exact checks are of runs that are not quite independent: groups of different deals share seeds, and the",
        "cuts share the baseline.", "",
        "## Another program", "",
        f"`scripts/pytorch_curves.py` trains the model of the part `{PYTORCH_PART}` in PyTorch, with its own random numbers;",
        "its curves are compared with the baseline by `qkvlab check --curves`, tier band. All rows share the baseline.", "",
        "| fault in PyTorch | seeds | p | finding |", "|---|---|---|---|", *table_of_pytorch(measuring), "",
        f"One check of the preset in the tier exact took {seconds:.1f} s.", ""]
    with open(measuring.options.report, "w") as file:
        file.write("\n".join(lines))


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qkvlab", default=os.path.join(root, "build-faults", "qkvlab"))
    parser.add_argument("--work", default="measure-check", help="folder of what was trained (default measure-check)")
    parser.add_argument("--report", default=os.path.join(root, "reports", "check", "README.md"))
    parser.add_argument("--minutes", type=float, default=600, help="begin nothing new after so long")
    options = parser.parse_args()
    measuring = Measuring(options)
    os.makedirs(os.path.dirname(os.path.abspath(options.report)), exist_ok=True)
    measuring.record("guard.json", "--seeds", f"0-{SEEDS - 1}")
    write_report(measuring)
    print(options.report)


if __name__ == "__main__":
    main()
