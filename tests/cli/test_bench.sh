#!/usr/bin/env bash
# bench prints well-formed numbers that agree with each other. No time is compared with anything
# outside of its own run.
. "$(dirname "$0")/common.sh"

QUICK=(--rounds 2 --seconds 0.05)

run bench --shape d32-L2-H2-T16 "${QUICK[@]}"
expect_status 0
expect_err "Measuring 1 model with"
expect_out "shape          variant  thr"
expect_out "d32-L2-H2-T16  qkv"
expect_out "ceiling at"
expect_out "of OpenBLAS"
expect_out "Where the time goes, percent:"

run bench --shape d32-L2-H2-T16 --variant qkv --variant qk+ --threads 1,2 "${QUICK[@]}" --format csv --quiet
expect_status 0
expect_no_err
expect_out "shape,n_embd,n_layer,n_head,seq_len,batch_size,variant,threads,step_ms,step_ms_min,step_ms_max,"
[ "$(wc -l <"$OUT")" -eq 5 ] || fail "a head, and two variants at two numbers of threads"
expect_out "d32-L2-H2-T16,32,2,2,16,128,qk+,2,"
awk -F, '
  function near(a, b) { return a - b < 0.001 * b && b - a < 0.001 * b }
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  {
    ms = $at["step_ms"]
    if (!($at["step_ms_min"] > 0 && $at["step_ms_min"] <= ms && ms <= $at["step_ms_max"])) bad = "spread"
    if (!near($at["sequences_per_second"], 128000 / ms)) bad = "sequences_per_second"
    if (!near($at["gflop_per_second"], $at["step_flop"] / ms / 1e6)) bad = "gflop_per_second"
    if (!near($at["ceiling_share"], $at["gflop_per_second"] / $at["ceiling_gflop_per_second"])) bad = "share"
    if (!($at["ceiling_min"] > 0 && $at["ceiling_min"] <= $at["ceiling_gflop_per_second"])) bad = "ceiling"
    sum = 0
    for (name in at) if (name ~ /^percent_/) sum += $at[name]
    if (!near(sum, 100)) bad = "percents"
    if (bad) { print "row " NR ": " bad; exit 1 }
  }' "$OUT" || fail "the numbers of a row agree with each other"

# A key that --set varies has a column of its own.
run bench --set n_embd=32 --set n_train=200 --set mlp_ratio=1,2 "${QUICK[@]}" --format csv
expect_status 0
expect_out ",variant,threads,mlp_ratio,step_ms,"
[ "$(wc -l <"$OUT")" -eq 3 ] || fail "a head and two rows"
run bench --shape d32-L2-H2-T16 --set seq_len=8 --set batch_size=32 "${QUICK[@]}"
expect_status 0
expect_out "d32-L2-H2-T8-B32"

SCALING=(--scaling --set n_head=1 --set n_train=32 --rounds 1 --seconds 0.01 --threads 1)
run bench "${SCALING[@]}"
expect_status 0
expect_err "Varying seq_len"
grep -qE '^seq_len +512 ' "$OUT" || fail "a row for each value"
expect_out "FLOP ~"
run bench "${SCALING[@]}" --format json --quiet
expect_status 0
expect_no_err
expect_out '"flop_exponent": '
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))
assert {row["key"] for row in rows} == {"seq_len", "n_embd", "n_layer", "batch_size"}
assert all(row["step_ms"] > 0 for row in rows)' "$OUT" || fail "scaling is JSON"
fi

run bench --shape d32-L2-H2-T17 "${QUICK[@]}"
expect_error 2 "unknown shape 'd32-L2-H2-T17'; did you mean 'd32-L2-H2-T16'?"
run bench --variant qq "${QUICK[@]}"
expect_error 2 "variant: expected qkv, qk,"
run bench --threads 1,two
expect_error 2 "--threads: expected a whole number in 1..1024, found 'two'"
run bench --threads 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
expect_error 2 "--threads: expected at most 16 numbers"
run bench --rounds 0
expect_error 2 "--rounds: expected a whole number in 1..1000, found '0'"
run bench --seconds 1s
expect_error 2 "--seconds: expected a number above 0 and up to 3600, found '1s'"
run bench --scaling --threads 1,2
expect_error 2 "--scaling varies one model at one number of threads"
run run --threads 1,2
expect_error 2 "--threads: expected a whole number in 1..1024, found '1,2'"

# Other programs at work are told of.
if grep -q '^cpu0 ' /proc/stat 2>/dev/null; then
  busy=()
  for _ in $(seq "$(nproc)"); do
    (trap - EXIT; while :; do :; done) &
    busy+=($!)
  done
  run bench --shape d32-L2-H2-T16 --rounds 2 --seconds 1
  cp "$ERR" said
  run run --set n_train=1000 --dry-run
  kill "${busy[@]}"
  wait "${busy[@]}" 2>/dev/null
  expect_status 0
  grep -qE '^qkvlab: warning: other programs took about [0-9]+ % .* an idle machine is faster$' said || fail "bench"
  grep -qE '^qkvlab: warning: other programs took about [0-9]+ % .* without them, runs take less time than said here$' "$ERR" || fail "estimate"
fi

# A signal ends it soon.
"$QKVLAB" bench --rounds 1000 --seconds 600 >"$OUT" 2>"$ERR" </dev/null &
pid=$!
wait_for "the first line" grep -q Measuring "$ERR"
kill -TERM $pid
wait $pid
STATUS=$?
COMMAND="kill -TERM of qkvlab bench"
expect_status 143
expect_no_out
