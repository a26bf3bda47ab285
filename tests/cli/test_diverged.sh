#!/usr/bin/env bash
# A run that diverges is recorded and said, the sweep goes on, and the exit status is 1.
. "$(dirname "$0")/common.sh"

for jobs in 1 2; do
  run run "${SMALL[@]}" --set learning_rate=1e9,0.001 --set epochs=20 --out a$jobs --jobs $jobs
  expect_status 1
  expect_err "2 runs: 1 trained, 1 diverged"
  grep -qE '^qkvlab: reverse-qkv-s0-[0-9a-f]+ diverged at step [0-9]+: loss (inf|nan|[0-9])' "$ERR" ||
    fail "says which run diverged, and at which step"
  grep -qE ' diverged +- +- ' "$OUT" || fail "its results are missing, not zero"
  grep -qE ' ok +[01]\.[0-9]' "$OUT" || fail "the other run has results"
done

# The exit status is that of the whole sweep, whoever made its runs and when.
for jobs in 1 2; do
  run run "${SMALL[@]}" --set learning_rate=1e9,0.001 --set epochs=20 --out a1 --jobs $jobs
  expect_status 1
  expect_err "2 runs: 2 already done, 1 of them diverged"
  expect_err "qkvlab: 1 of 2 runs diverged"
  run run "${SMALL[@]}" --set learning_rate=1e9,0.001,0.002 --set epochs=20 --out b$jobs \
    --jobs $jobs --shard 0/2
  expect_status 1
  run run "${SMALL[@]}" --set learning_rate=1e9,0.001,0.002 --set epochs=20 --out b$jobs \
    --jobs $jobs
  expect_status 1
  expect_err "3 runs: 1 trained, 2 already done, 1 of them diverged"
done
run run "${SMALL[@]}" --set learning_rate=1e9 --set epochs=20 --out a1 --quiet
expect_status 1
expect_err "1 of 1 runs diverged"
run status a1
expect_status 0
expect_out "1 ok, 1 diverged"
run report a1
expect_status 0

# A loss that is no number has no sign, wherever it is printed.
run run "${SMALL[@]}" --set learning_rate=1e9 --set n_layer=8 --set warmup=0 --set clip=0 --out nan
expect_status 1
grep -rq -e '-nan' "$ERR" "$OUT" nan && fail "a sign of nan"
run attention a1
expect_status 0
expect_err "1 run diverged and left no maps"
