#!/usr/bin/env python3
"""Writes run folders that no training made, to try a report on: make_sweep.py OUT [--full].

Without --full a small sweep with everything a page shows: two widths, snapshots of attention maps, a
run that diverged, a folder that cannot be read, texts that try to leave the page, and runs on
images. With --full the 3,240 runs of a whole grid (6 variants, 5 tasks, 3 seeds, 36 settings).
Numbers follow from the configuration and a hash, so that two calls write the same bytes.
"""
import argparse
import hashlib
import json
import math
import os
import struct

VARIANTS = {"qkv": 1.0, "qk": 1.35, "qk+": 1.15, "kv": 1.1, "qkv_tied": 2.2, "qkv_tied+": 1.8}
TASKS = {"copy": 10, "reverse": 55, "sort": 20, "sub": 10, "swap": 55}
N_STEP = 158
PROBE_STEPS = (0, 20, 60, N_STEP)
HOSTILE = '</script><script>window.escaped = 1</script><img src=x onerror="window.escaped = 1">'


def noise(*key):
    """A number in -1..1 that follows from key."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") / 2**31 - 1


def write(path, data):
    with open(path, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)


def npy(shape, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header = header.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack("<%df" % len(values), *values))


def attention_map(task, step, n_token, head):
    """Rows that begin flat and end on the key that the task needs."""
    sharp = 4.0 * step / N_STEP * (1 + head)
    values = []
    for i in range(n_token):
        needed = n_token - 1 - i if task == "reverse" else i
        row = [math.exp(sharp if j == needed else 0) for j in range(n_token)]
        total = sum(row)
        values += [value / total for value in row]
    return values


def write_maps(folder, run, steps):
    for step in steps:
        path = "%s/attention/step%06d" % (folder, step)
        os.makedirs(path)
        for layer in range(run["n_layer"]):
            values = []
            for head in range(run["n_head"]):
                values += attention_map(run["task"], step, run["seq_len"], head)
            write("%s/layer%d.npy" % (path, layer),
                  npy((run["n_head"], run["seq_len"], run["seq_len"]), values))


def curve_text(escape, seed, task, variant):
    lines = ["step,loss,learning_rate,grad_norm,accuracy"]
    for step in range(N_STEP):
        fall = 1 / (1 + math.exp(min((step - escape) / 5, 30)))
        loss = 2.28 * fall + 0.02 + 0.01 * math.sin(7 * step + seed + escape)
        lines.append("%d,%.6g,0.001,1,%.4g" % (step, max(loss, 0.001), 1 - 0.9 * fall))
    return "\n".join(lines) + "\n"


def run_json(run, run_id, results, status="ok", message=None, attention=None, data=None):
    root = {
        "format": "qkvlab-run-1", "id": run_id, "status": status, "config": run, "n_param": 100000,
        "results": results, "attention": attention,
        "weights_sha256": hashlib.sha256(run_id.encode()).hexdigest(),
        "timing": {"train_seconds": 1.5, "wall_seconds": 1.75},
        "machine": {"class": "synthetic", "cpu": "none", "processors": 2, "threads": 1},
        "build": {"version": "0.0.0", "commit": "synthetic", "compiler": "none", "blas": "none",
                  "simd": "none"},
        "message": message,
    }
    if data:
        root["data"] = data
    return json.dumps(root)


def write_run(out, task, variant, seed, n_embd, n_layer, n_head, n_token, keep=(), bad=None,
              learning_rate=0.001):
    run = {"task": task, "variant": variant, "n_embd": n_embd, "n_layer": n_layer,
           "n_head": n_head, "seq_len": n_token, "learning_rate": learning_rate, "seed": seed,
           "lanes": 8,
           "attention": "snapshots" if keep and not bad else "none"}
    key = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()[:12]
    run_id = "%s-%s-s%d-%s" % (task, variant, seed, key)
    folder = "%s/runs/%s" % (out, run_id)
    os.makedirs(folder)
    escape = TASKS[task] * VARIANTS[variant] * (64 / n_embd) ** 0.5 * (n_token / 16) ** 0.3
    escape += 3 * noise(task, variant, seed, n_embd, n_layer, n_head, n_token)
    accuracy = 0.1 + 0.9 / (1 + math.exp(min((escape - 120) / 12, 30)))
    escaped = int(escape) if escape < N_STEP else None
    asymmetry = 0.0 if variant.startswith("qk") and variant != "qkv" else 1.1
    numbers = {"needed": accuracy / 2, "diagonal": 0.1, "asymmetry_product": asymmetry,
               "asymmetry_scores": asymmetry}
    results = {"token_accuracy": accuracy, "sequence_accuracy": accuracy ** n_token,
               "loss": 2.3 * (1 - accuracy), "position_floor": 0.1, "escape_step": escaped,
               "step_below_2.2": escaped, "step_below_0.1": None,
               "final_train_loss": 2.3 * (1 - accuracy), "n_step": N_STEP, "diverged_step": None}
    attention = {"layer": n_layer - 1, "n_probe": 64, "heads": [numbers] * n_head, "mean": numbers}
    write(folder + "/curve.csv", curve_text(escape, seed, task, variant))
    if bad:
        results.update(token_accuracy=None, diverged_step=12)
        write(folder + "/run.json", run_json(run, run_id, results, "diverged", bad))
        return
    write_maps(folder, run, keep)
    write(folder + "/run.json", run_json(run, run_id, results, attention=attention))


def write_image_run(out, variant, seed):
    run = {"task": "mnist", "variant": variant, "n_embd": 64, "n_layer": 2, "n_head": 2,
           "seq_len": 50, "patch": 4, "epochs": 4, "seed": seed, "lanes": 8,
           "attention": "none"}
    run_id = "mnist-%s-s%d-%012d" % (variant, seed, 0)
    folder = "%s/runs/%s" % (out, run_id)
    os.makedirs(folder)
    top1 = 0.95 - 0.01 * VARIANTS[variant] + 0.002 * noise(variant, seed)
    results = {"top1": top1, "top5": 0.999, "loss": 0.2, "class_accuracy": [top1] * 10,
               "final_train_loss": 0.15, "n_step": N_STEP, "diverged_step": None}
    names = [HOSTILE] + [str(i) for i in range(1, 10)]
    epochs = ["epoch,train_loss,test_loss,top1,top5,train_top1"]
    for epoch in range(1, 5):
        epochs.append("%d,%.4f,%.4f,%.4f,0.99,%.4f" % (epoch, 1 / epoch, 1.1 / epoch,
                                                       top1 - 0.2 / epoch, top1 - 0.3 / epoch))
    write(folder + "/epochs.csv", "\n".join(epochs) + "\n")
    confusion = [[95 if i == j else (5 if j == (i + 1) % 10 else 0) for j in range(10)]
                 for i in range(10)]
    write(folder + "/confusion.csv", "\n".join(
        ["class," + ",".join(str(i) for i in range(10))]
        + ["%d,%s" % (i, ",".join(map(str, row))) for i, row in enumerate(confusion)]) + "\n")
    write(folder + "/curve.csv", curve_text(30, seed, "mnist", variant))
    data = {"sha256": "0" * 64, "n_train": 1000, "n_test": 1000, "class_name": names,
            "published": False, "warning": "synthetic"}
    write(folder + "/run.json", run_json(run, run_id, results, data=data))


def write_small(out):
    for n_embd in (32, 64):
        for task in ("reverse", "sort"):
            for variant in VARIANTS:
                for seed in range(3):
                    keep = PROBE_STEPS if task == "reverse" and n_embd == 64 else (N_STEP,)
                    bad = HOSTILE if (variant, seed, n_embd) == ("kv", 2, 32) else None
                    write_run(out, task, variant, seed, n_embd, 2, 2, 16, keep, bad)
    for variant in ("qkv", "qk", "kv"):
        for seed in range(3):
            write_image_run(out, variant, seed)
    broken = out + "/runs/broken <img src=x onerror=alert(1)>"
    os.makedirs(broken)
    write(broken + "/run.json", "{")


def write_full(out):
    sizes = [(d, l, h, t) for d in (32, 64, 256) for l in (2, 4) for h in (2, 4)
             for t in (16, 64, 128)]
    for size in sizes:
        keep = (N_STEP,) if size[3] == 16 else ()
        for task in TASKS:
            for variant in VARIANTS:
                for seed in range(3):
                    write_run(out, task, variant, seed, *size, keep=keep)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out + "/runs")
    write_full(options.out) if options.full else write_small(options.out)


if __name__ == "__main__":
    main()
