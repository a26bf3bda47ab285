#!/usr/bin/env bash
# A sweep goes on only with the images that its finished runs were trained on.
. "$(dirname "$0")/common.sh"

export XDG_CACHE_HOME=$WORK/cache
unset QKVLAB_DATA

# mnist FOLDER LABEL: eight images, all of one class, for training and test.
mnist() {
  mkdir -p "$1"
  for split in train t10k; do
    { printf '\0\0\10\3\0\0\0\10\0\0\0\34\0\0\0\34' && head -c 6272 /dev/zero; } >"$1/$split-images-idx3-ubyte"
    { printf '\0\0\10\1\0\0\0\10' && printf "\\$2%.0s" 1 2 3 4 5 6 7 8; } >"$1/$split-labels-idx1-ubyte"
  done
}
cat >sweep.yaml <<'YAML'
task: copy
n_embd: 32
n_train: 256
n_test: 64
epochs: 1
attention: none
---
task: mnist
n_embd: 16
patch: 14
n_probe: 2
epochs: 1
attention: none
seeds: 0-1
YAML
mnist data 7
run run sweep.yaml --data data --out a
expect_status 0
expect_err "3 runs: 3 trained"
first=$(ls a/runs | grep mnist-qkv-s0)

# More of it: the same images are fine, others are refused before anything is trained, tasks included.
run run sweep.yaml --data data --seeds 0-2 --out a
expect_status 0
mnist data 3
for jobs in 1 2; do
  run run sweep.yaml --data data --seeds 0-4 --out a --jobs $jobs
  expect_error 3 " was trained on other images of MNIST (SHA-256 "
  expect_err "mnist-qkv-s"
  expect_err " in a "
  expect_err "than are in data now ("
  expect_err "choose another --out"
  [ "$(grep -oE '[0-9a-f]{16}\.\.\.' "$ERR" | sort -u | wc -l)" -eq 2 ] || fail "both hashes are said"
done
[ "$(ls a/runs | wc -l)" -eq 6 ] || fail "nothing was trained"
grep -q "$(grep -oE '[0-9a-f]{16}\.\.\.' "$ERR" | head -1 | tr -d .)" "a/runs/$first/run.json" ||
  fail "the first hash is that of the run"

# What needs no training needs no images; another folder is another sweep; the old images are welcome.
run run sweep.yaml --data data --seeds 0-2 --out a
expect_status 0
expect_err "6 runs: 6 already done, skipped"
run run sweep.yaml --data data --out b
expect_status 0
expect_err "3 runs: 3 trained"
mnist data 7
run run sweep.yaml --data data --seeds 0-4 --out a --jobs 2
expect_status 0
expect_err "4 trained, 6 already done"

# Tasks in a folder with runs of images ask nobody for images.
rm -r data
run run "${TINY[@]}" --out a
expect_status 0
