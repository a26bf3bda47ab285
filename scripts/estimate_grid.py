#!/usr/bin/env python3
"""How long the published grid of the synthetic tasks takes on this machine, from measured steps.

Measures a training step of every shape of the grid (the preset table1) for QKV, and of every variant at a few
of them, with `qkvlab bench`; a variant's step is taken to be QKV's times the variant's mean ratio. What is not
training (drawing data, evaluation, files) is not counted: it is a few percent of a run.

    scripts/estimate_grid.py --threads 2 --markdown reports/speed/grid.md
"""

import argparse
import csv
import io
import statistics
import subprocess
import sys

WIDTHS, LAYERS, HEADS, TOKENS = (32, 64, 256), (2, 4), (2, 4), (16, 64, 128)
VARIANTS = ("qkv", "qk", "qk+", "kv", "qkv_tied", "qkv_tied+")
N_TASK, N_SEED, N_STEP = 5, 3, 158  # 2 epochs of 10,000 sequences in batches of 128
PROBES = [(32, 2, 2, 16), (64, 2, 4, 64), (256, 2, 4, 16)]  # where variants are compared


def bench(program, threads, seconds, settings, variants=()):
    command = [program, "bench", "--quiet", "--format", "csv", "--threads", str(threads), "--rounds", "3",
               "--seconds", str(seconds)]
    for setting in settings:
        command += ["--set", setting]
    for variant in variants:
        command += ["--variant", variant]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("this failed, as said above: " + " ".join(command))
    return list(csv.DictReader(io.StringIO(done.stdout)))


def shape_of(row):
    return tuple(int(row[key]) for key in ("n_embd", "n_layer", "n_head", "seq_len"))


def measure(options):
    joined = lambda key, values: f"{key}=" + ",".join(map(str, values))
    grid = [joined("n_embd", WIDTHS), joined("n_layer", LAYERS), joined("n_head", HEADS), joined("seq_len", TOKENS)]
    rows = bench(options.qkvlab, options.threads, options.seconds, grid)
    ratios = {variant: [] for variant in VARIANTS}
    for d, n_layer, n_head, n_token in PROBES:
        settings = [f"n_embd={d}", f"n_layer={n_layer}", f"n_head={n_head}", f"seq_len={n_token}"]
        probe = bench(options.qkvlab, options.threads, options.seconds, settings, VARIANTS)
        step = {row["variant"]: float(row["step_ms"]) for row in probe}
        for variant in VARIANTS:
            ratios[variant].append(step[variant] / step["qkv"])
    return {shape_of(row): float(row["step_ms"]) for row in rows}, {v: statistics.mean(r) for v, r in ratios.items()}


def table(options, step, ratio):
    n_run = N_TASK * N_SEED * len(VARIANTS) * len(step)
    runs_of_variant = N_TASK * N_SEED
    seconds = {shape: ms / 1000 * N_STEP * runs_of_variant * sum(ratio.values()) for shape, ms in step.items()}
    lines = ["| d | T | ms a step of QKV, by layers and heads: 2x2, 2x4, 4x2, 4x4 | hours of the grid |", "|---|---|---|---|"]
    for d in WIDTHS:
        for n_token in TOKENS:
            shapes = [(d, n_layer, n_head, n_token) for n_layer in LAYERS for n_head in HEADS]
            hours = sum(seconds[shape] for shape in shapes) / 3600
            lines.append(f"| {d} | {n_token} | " + ", ".join(f"{step[shape]:.3g}" for shape in shapes) + f" | {hours:.2f} |")
    total = sum(seconds.values()) / 3600
    lines += ["", f"{n_run:,} runs of {N_STEP} steps: **{total:.1f} hours** of training with {options.threads} threads, "
              f"{total * options.threads:.1f} hours a core.",
              "", "A variant's step beside QKV's, mean of three shapes: "
              + ", ".join(f"{variant} {ratio[variant]:.2f}" for variant in VARIANTS) + "."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5, help="of measuring a shape (default 0.5, at least 3 steps)")
    parser.add_argument("--qkvlab", default="build/qkvlab", help="the program")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there too")
    options = parser.parse_args()
    text = table(options, *measure(options))
    print(text, end="")
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
