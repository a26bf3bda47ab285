#!/usr/bin/env python3
"""Compares runs with the published ones, run by run, to the fourth digit of the token accuracy.

usage: compare_published.py OUT PUBLISHED.csv

OUT/report must be there; runs of OUT have numbers=pytorch. PUBLISHED.csv has the columns task, variant (by our ids),
n_embd, n_layer, n_head, seq_len, seed and token_accuracy: the per-run table of the authors' public reproduction."""
import csv
import sys

KEYS = ['task', 'variant', 'n_embd', 'n_layer', 'n_head', 'seq_len', 'seed']


def main(out, published):
    known = {tuple(row[key] for key in KEYS): row['token_accuracy'] for row in csv.DictReader(open(published))}
    n_run = n_same = 0
    for row in csv.DictReader(open(f'{out}/report/runs.csv')):
        theirs = known.get(tuple(row[key] for key in KEYS))
        if theirs is None or row['status'] != 'ok':
            continue
        ours = f'{float(row["token_accuracy"]):.4f}'
        n_run += 1
        n_same += ours == theirs
        if ours != theirs:
            print(*(row[key] for key in KEYS), 'published', theirs, 'here', ours)
    print(f'{n_same} of {n_run} runs agree to the fourth digit; {len(known)} are published')


if __name__ == '__main__':
    main(*sys.argv[1:])
