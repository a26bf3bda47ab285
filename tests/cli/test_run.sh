#!/usr/bin/env bash
# One grid, once: dry run, training, the same command again, shards, several jobs, other threads.
. "$(dirname "$0")/common.sh"

run run smoke "${TINY[@]}" --dry-run --out a
expect_status 0
expect_out "parameters"
expect_out "copy-qk-s0-"
expect_err "2 runs, 0 of them done; nothing was trained or written"
[ ! -e a ] || fail "a dry run writes nothing"

run run smoke "${TINY[@]}" --out a
expect_status 0
expect_out "copy-qkv-s0-"
expect_err "2 runs: 2 trained"
expect_err "Next: qkvlab report a"
[ "$(ls a/runs | wc -l)" -eq 2 ] || fail "two run folders"
ls a/runs/*/attention/*/*.png >/dev/null || fail "the attention maps have pictures"
first=$(cat a/runs/*/run.json)

run run smoke "${TINY[@]}" --out a
expect_status 0
expect_err "2 runs: 2 already done, skipped"
[ "$(cat a/runs/*/run.json)" = "$first" ] || fail "a finished run is not touched"

run run smoke "${TINY[@]}" --out a --quiet --format csv
expect_status 0
expect_no_err
expect_out "id,task,variant,seed,status,token_accuracy,sequence_accuracy,loss,escape_step,wall_seconds"
[ "$(wc -l <"$OUT")" -eq 3 ] || fail "a head and two rows"

# A key that the grid varies has a column of its own.
run run "${TINY[@]}" --set n_layer=1,2 --out b --format csv --dry-run
expect_status 0
expect_out "id,task,variant,seed,n_layer,steps,n_param,memory_mib,estimated_seconds,done"

# Shards cover the grid once; so do jobs. Both give the same bits as one process does.
for shard in 0/3:2 1/3:2 2/3:1; do
  run run "${TINY[@]}" --seeds 0-4 --out shards --shard ${shard%:*}
  expect_status 0
  expect_err "${shard#*:} run"
  expect_err ": ${shard#*:} trained"
done
[ "$(ls shards/runs | wc -l)" -eq 5 ] || fail "three shards make five runs"
run run "${TINY[@]}" --seeds 0-4 --out jobs --jobs 3 --threads 2
expect_status 0
expect_err "5 runs: 5 trained"
run run "${TINY[@]}" --seeds 0-4 --out jobs --jobs 3
expect_status 0
expect_err "5 runs: 5 already done, skipped"
# Several processes that share a folder tell of the runs that they made themselves.
for k in 1 2 3; do
  "$QKVLAB" run "${TINY[@]}" --seeds 0-9 --out shared --jobs 2 --threads 2 >/dev/null 2>said$k &
done
wait
n_made=$(sed -nE 's/^10 runs: ([0-9]+) trained.*/\1/p' said1 said2 said3 | paste -sd+ | bc)
cat said1 said2 said3 >"$ERR"
[ "$n_made" -eq 10 ] || fail "three processes made ten runs, and say they made $n_made"

run run "${TINY[@]}" --seeds 0-4 --out one --threads 1
expect_status 0
for id in $(ls one/runs); do
  for other in shards jobs; do
    cmp -s one/runs/$id/curve.csv $other/runs/$id/curve.csv || fail "$other: the curve of $id differs"
    [ "$(grep weights_sha256 one/runs/$id/run.json)" = \
      "$(grep weights_sha256 $other/runs/$id/run.json)" ] || fail "$other: the weights of $id differ"
  done
done
run run "${TINY[@]}" --seeds 0-4 --out one --shard 7/9
expect_status 0
expect_err "0 runs: none made"

# Pictures that are missing are drawn by the same command; that they cannot be is said.
picture=$(ls one/runs/*-s0-*/attention/overview.png)
rm "$picture"
run run "${TINY[@]}" --seeds 0-4 --out one
expect_status 0
[ -f "$picture" ] || fail "the picture is drawn again"
rm "$picture"
mkdir "$picture"
run run "${TINY[@]}" --seeds 0-4 --out one
expect_status 0
expect_err "overview.png"
expect_err '`qkvlab attention` draws what is missing'

# What cannot be written has one exit status, whatever is in the way.
ln -s nowhere dangling
run run "${TINY[@]}" --out dangling
expect_error 4 "a symbolic link of that name leads to no folder"
long=$(printf 'a/%.0s' $(seq 2100))
run run "${TINY[@]}" --out "$long"
expect_error 4 "expected at most 4095: choose a shorter folder"
run run "${TINY[@]}" --out "${long:0:4040}" --quiet
expect_status 4
expect_err "expected at most 4095: choose a shorter folder"
