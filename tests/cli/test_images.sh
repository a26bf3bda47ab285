#!/usr/bin/env bash
# Training on images: drawn ones need no files; missing data and patches that do not fit are said
# before anything is written.
. "$(dirname "$0")/common.sh"

unset QKVLAB_DATA
export XDG_CACHE_HOME=$WORK/cache
IMAGES=(--set task=glyphs --set n_embd=16 --set patch=7 --set n_train=256 --set n_test=64
  --set n_probe=4 --set epochs=1)

run run "${IMAGES[@]}" --set variant=qkv,qk+ --out a
expect_status 0
expect_out "top-1"
expect_err "2 runs: 2 trained"
for file in curve.csv epochs.csv confusion.csv attention/step000002/layer1.npy; do
  [ -s a/runs/glyphs-qkv-*/$file ] || fail "the run keeps $file"
done
run run "${IMAGES[@]}" --set variant=qkv,qk+ --out a --format csv
expect_status 0
expect_out "id,task,variant,seed,status,top1,top5,loss,wall_seconds"
expect_err "2 runs: 2 already done, skipped"
run run "${IMAGES[@]}" --set variant=qkv,qk+ --out b --jobs 2 --threads 2
expect_status 0
for id in $(ls a/runs); do
  for file in curve.csv epochs.csv confusion.csv; do
    cmp -s a/runs/$id/$file b/runs/$id/$file || fail "$file of $id differs with --jobs"
  done
done

run report a
expect_status 0
grep -q "### Glyphs" a/report/report.md || fail "the report has a table of the data set"
ls a/report/confusion-glyphs-qkv-*.png >/dev/null || fail "the report has a figure of the confusions"
run status a
expect_status 0
expect_out "top-1"

# What the models see in single images, from the run folders alone.
run attention a --format csv
expect_status 0
expect_err "The variants side by side on the same images: 2 pictures in a/attention"
for file in samples.npy class-token-layer0.png class-token-layer1.png patch-to-patch.png; do
  [ -s a/runs/glyphs-qkv-*/attention/$file ] || fail "attention/$file is there"
done
[ ! -e a/runs/glyphs-qkv-*/attention/training.png ] || fail "one snapshot has no history"
ls a/attention/class-token-glyphs-qkv-*-rollout.png >/dev/null || fail "variants side by side"
grep -q "(class-token-glyphs-qkv-.*-rollout.png)" a/report/report.md || fail "the report shows it"
run run "${IMAGES[@]}" --set attention=snapshots --out s
expect_status 0
for step in 0 1 2; do
  [ -s s/runs/glyphs-*/attention/step00000$step/layer0.npy ] || fail "step $step is kept"
done
run attention s
expect_status 0
[ -s s/runs/glyphs-*/attention/training.png ] || fail "snapshots are drawn"

# Tasks and images in one grid: each has its own defaults.
run run "${TINY[@]}" --set task=copy,glyphs --set n_head=2 --out c --dry-run
expect_status 0
expect_out "copy-qkv-s0-"
expect_out "glyphs-qkv-s0-"

# Images of another size: fewer patches of the same data.
run run "${IMAGES[@]}" --set image_size=14 --out a
expect_status 0
[ "$(cat a/runs/glyphs-qkv-*/run.json | grep -o '"sha256": "[0-9a-f]*"' | sort -u | wc -l)" -eq 1 ] ||
  fail "the hash of the data is that of the originals"
expect_err "1 run: 1 trained"
grep -q '"seq_len": 5,' a/runs/glyphs-qkv-*/run.json || fail "four patches of 7 px"
run list keys
expect_out "area averaging"

# Refused before anything is looked for or written.
mkdir empty
run run --set task=mnist --set patch=5 --data empty --out d
expect_error 2 "patch 5 does not divide the 28 px of MNIST images; patch 1, 2, 4, 7, 14 or 28 would work"
run run --set task=mnist --set patch=0 --data empty --out d
expect_error 2 "patch: expected a whole number in 1..4096, found '0'"
run run --set task=mnist --set seq_len=16 --data empty --out d
expect_error 2 "seq_len follows from the images of mnist"
run run --set task=reverse --set patch=4 --out d
expect_error 2 "patch is a key of image data sets"
run run --set task=mnist --data empty --out d
expect_error 3 "MNIST was not found: looked for train-images-idx3-ubyte (47040016 bytes)"
run run --set task=mnist --data nowhere --out d
expect_error 3 "--data: there is no folder nowhere"
QKVLAB_DATA=empty run run --set task=mnist --set variant=qkv,qk --jobs 2 --out d
expect_error 3 "in empty, "
[ ! -e d ] || fail "nothing was to be written"

# What is only wrong with the data fails the run, with the status of bad data.
printf 'not an image file' >empty/train-images-idx3-ubyte
cp empty/train-images-idx3-ubyte empty/train-labels-idx1-ubyte
cp empty/train-images-idx3-ubyte empty/t10k-images-idx3-ubyte
cp empty/train-images-idx3-ubyte empty/t10k-labels-idx1-ubyte
run run --set task=mnist --data empty --out d
expect_status 3
expect_err "train-images-idx3-ubyte"
