#!/usr/bin/env python3
"""Paired differences between variants, from the runs.csv of a report.

    scripts/paired_differences.py REPORT/runs.csv --baseline qk+ [--value token_accuracy]

For every task, setting and variant beside the baseline: the mean over seeds of both, the mean difference, the
seeds in which the variant is above and below, and the p-value of an exact sign-flip permutation test (all 2^n
ways to exchange the two within a pair, two-sided). With n pairs no p below 2 / 2^n can appear, so below 6
pairs nothing can be concluded, and none is printed. Prints a Markdown table. Python's standard library only.
"""
import argparse
import csv
import itertools
import sys


def sign_flip_p(differences):
    """Share of sign patterns whose absolute mean is at least the observed one."""
    observed = abs(sum(differences))
    patterns = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences))) for signs in patterns]
    return sum(total >= observed - 1e-12 for total in sums) / len(sums)


def family(variant):
    """The sharing of a variant: what stands before + and the first further axis."""
    return variant.split(":")[0].rstrip("+")


def read_runs(path, value):
    """{(task, n_step, variant): {seed: value}} of the finished runs."""
    cells = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] == "ok" and row[value]:
                key = (row["task"], int(row["n_step"]), row["variant"])
                cells.setdefault(key, {})[int(row["seed"])] = float(row[value])
    return cells


def compare(cells, baselines):
    for (task, n_step, variant), values in sorted(cells.items()):
        baseline = next((b for b in baselines if family(b) == family(variant)), None)
        other = cells.get((task, n_step, baseline))
        if other is None or variant == baseline:
            continue
        seeds = sorted(set(values) & set(other))
        differences = [values[s] - other[s] for s in seeds]
        if not differences:
            continue
        yield {
            "steps": n_step,
            "task": task,
            "variant": variant,
            "mean": sum(values[s] for s in seeds) / len(seeds),
            "baseline": sum(other[s] for s in seeds) / len(seeds),
            "difference": sum(differences) / len(differences),
            "least": min(differences),
            "most": max(differences),
            "above": sum(d > 0 for d in differences),
            "below": sum(d < 0 for d in differences),
            "p": sign_flip_p(differences) if len(differences) >= 6 else None,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", help="runs.csv of a report")
    parser.add_argument("--baseline", action="append", required=True,
                        help="id of the variant to compare with; once for every sharing")
    parser.add_argument("--value", default="token_accuracy", help="column (token_accuracy)")
    arguments = parser.parse_args()
    rows = list(compare(read_runs(arguments.runs, arguments.value), arguments.baseline))
    if not rows:
        sys.exit(f"{arguments.runs}: no runs of a baseline and another variant share a task and a seed")
    print("| steps | task | variant | mean | baseline's mean | difference | least to most | seeds above, below | p |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in sorted(rows, key=lambda r: (r["steps"], family(r["variant"]), r["task"], r["variant"])):
        p = "-" if r["p"] is None else f"{r['p']:.3f}"
        print(f"| {r['steps']} | {r['task']} | `{r['variant']}` | {r['mean']:.3f} | {r['baseline']:.3f} "
              f"| {r['difference']:+.3f} | {r['least']:+.3f} to {r['most']:+.3f} | {r['above']}, {r['below']} | {p} |")


if __name__ == "__main__":
    main()
