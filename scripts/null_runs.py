#!/usr/bin/env python3
"""Writes the runs of a folder as reports/false-verdicts/runs.csv has them: what each was, and the
measures that are compared. usage: null_runs.py OUT (with OUT/report) > runs.csv"""
import csv
import json
import sys

SORTED_BY = ['task', 'n_embd', 'n_layer', 'n_head', 'seq_len', 'numbers', 'seed']
MEASURES = ['token_accuracy', 'loss', 'mean_train_loss', 'escape_step', 'step_accuracy_90']


def main(out):
    rows = []
    for row in csv.DictReader(open(f'{out}/report/runs.csv')):
        config = json.load(open(f'{out}/runs/{row["id"]}/run.json'))['config']
        values = [f'{float(row[key]):.6g}' if row[key] else '' for key in MEASURES]
        rows.append([config[key] for key in SORTED_BY] + values)
    print(','.join(SORTED_BY + MEASURES))
    for row in sorted(rows, key=lambda row: row[:len(SORTED_BY)]):
        print(','.join(map(str, row)))


if __name__ == '__main__':
    main(sys.argv[1])
