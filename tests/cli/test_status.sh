#!/usr/bin/env bash
# What `status` says of a sweep: what is done, at work, interrupted, missing; whoever made it.
. "$(dirname "$0")/common.sh"

run status nowhere
expect_error 3 "no runs are kept there"

# A shard leaves the plan of the whole sweep; the other shard, and all again, leave the same file.
SWEEP=("${TINY[@]}" --set 'variant=qkv,kv:n_kv_head=1' --seeds 0-2)
run run "${SWEEP[@]}" --dry-run --out a
[ ! -e a ] || fail "a dry run plans nothing"
run run "${SWEEP[@]}" --out a --shard 0/2
expect_status 0
plan=$(ls a/plans)
[ "$(echo "$plan" | wc -l)" -eq 1 ] || fail "one plan"
before=$(cat a/plans/*)
run status a
expect_status 0
expect_out "of 6 planned: 3 ok, 3 missing"
expect_out "3 of 6 runs in plans/$plan are still to make: qkvlab run --set n_embd=32 "
expect_out " --seeds 0-2 --out a"
[ "$(grep -c ' missing ' "$OUT")" -eq 3 ] || fail "the missing runs are named"
[ "$(sed -nE 's/-[0-9a-f]{12} .*//p' "$OUT" | paste -sd' ')" = "$(echo \
  reverse-qkv-s{0,1,2} reverse-kv.n_kv_head=1-s{0,1,2})" ] || fail "in the order of the sweep"
run status a --format csv
expect_err "of 6 planned: 3 ok, 3 missing"
[ "$(grep -c ',missing,,,,' "$OUT")" -eq 3 ] || fail "also as CSV"
command=$(run status a; sed -n 's/.*still to make: qkvlab //p' "$OUT")
run run "${SWEEP[@]}" --out a --shard 1/2 --jobs 2
expect_status 0
[ "$(cat a/plans/*)" = "$before" ] && [ "$(ls a/plans)" = "$plan" ] || fail "the plan stays as it was"
run status a
expect_status 0
expect_out "of 6 planned: 6 ok"
! grep -q "still to make" "$OUT" || fail "nothing is left to make"

# The command that status names makes what is missing, and nothing else.
rm -r a/runs/*-s1-*
run status a
expect_out "of 6 planned: 4 ok, 2 missing"
eval "run $command"
expect_status 0
expect_err "6 runs: 2 trained, 4 already done, skipped"

# Suggested commands are read back by a shell as they are, from wherever they are asked for.
mkdir odd
printf '{n_embd: 32, n_train: 256, n_test: 64, n_probe: 8, epochs: 1, seeds: 0-1}\n' \
  >"odd/it's \$(touch broken).yaml"
for name in "it's \$(touch broken) & more" $'two\nlines' -x '~'; do
  (cd odd && "$QKVLAB" run "./it's \$(touch broken).yaml" --out "./$name" --shard 0/2) >"$OUT" 2>"$ERR" ||
    fail "a folder of the name $name"
  sed -n 's/^Next: qkvlab //p' "$ERR" >next
  (cd odd && eval "\"\$QKVLAB\" $(cat ../next)") >/dev/null 2>"$ERR" || fail "$(cat next)"
  run status "$PWD/odd/$name"
  eval "run $(sed -n 's/.*still to make: qkvlab //p' "$OUT")"
  expect_status 0
  expect_err "2 runs: 1 trained, 1 already done"
  [ ! -e broken ] && [ ! -e odd/broken ] || fail "nothing in the name was run"
done
(cd odd && "$QKVLAB" status -- -y) >"$OUT" 2>"$ERR"
expect_err "qkvlab run --out ./-y"

# A part of the sweep is planned already; more of it is a plan of its own.
run run "${SWEEP[@]}" --seeds 0-1 --out a 2>/dev/null
run run "${TINY[@]}" --seeds 0 --out a
[ "$(ls a/plans | wc -l)" -eq 1 ] || fail "a part of a sweep is no sweep of its own"
run run "${TINY[@]}" --seeds 2-3 --out a
expect_status 0
[ "$(ls a/plans | wc -l)" -eq 2 ] || fail "another sweep"
run status a
expect_out "of 7 planned: 7 ok"

# Runs that were copied from elsewhere need no plan; a folder of plans alone is a sweep not begun.
mkdir copied
cp -r a/runs copied
run status copied
expect_status 0
expect_out "7 ok"
! grep -q planned "$OUT" || fail "no plan came along"
run run "${TINY[@]}" --seeds 3-5 --out copied
expect_status 0
run status copied
expect_out "of 3 planned: 3 ok; not planned: 6 ok"
mkdir begun
cp -r a/plans begun
run status begun
expect_status 0
expect_out "of 7 planned: 7 missing"

# What a hand or a broken copy has damaged is made again, as status says; report leaves it out.
cp -r copied damaged
set -- damaged/runs/*
sed -i 's/"seed": [0-9]*/"seed": 77/' "$1/run.json"
rm "$2/curve.csv"
truncate -s -3 "$3/curve.csv"
run status damaged
expect_status 0
expect_out "not planned: 3 ok, 3 unreadable"
[ "$(grep -c ' unreadable ' "$OUT")" -eq 3 ] || fail "three are damaged"
expect_out "it was changed after the run"
expect_out "curve.csv is missing"
expect_out "curve.csv is cut short"
run run "${SWEEP[@]}" --out damaged
expect_status 0
run run "${TINY[@]}" --seeds 3-5 --out damaged
expect_status 0
for run in "$1" "$2" "$3"; do
  cmp -s "$run/curve.csv" "${run/damaged/copied}/curve.csv" || fail "$run was made again"
  [ -d "$run.damaged-1" ] || fail "$run was kept"
done

# Reports are made of runs alone. A file that is no plan is said, and changes nothing else.
cp -r a/runs plain-runs && mkdir plain && mv plain-runs plain/runs
run report plain
run report a
expect_status 0
diff -r plain/report a/report >/dev/null || fail "plans are no part of a report"
echo '{"format": "qkv' >a/plans/cut.json
echo '{"format": "qkvlab-plan-1", "runs": ["../../etc"]}' >a/plans/odd.json
echo text >a/plans/notes.txt
run status a
expect_status 0
expect_out "of 7 planned: 7 ok"
expect_err "warning: not a plan: a/plans/cut.json"
expect_err 'a/plans/odd.json: runs[0] is no id of a run'

# ---- processes that are gone ----

LONG=(run "${SMALL[@]}" --set epochs=100000 --seeds 0-3 --jobs 2 --out)
count_running() {
  "$QKVLAB" status "$1" --format csv 2>/dev/null | grep -c ',running,'
}
two_run() {
  [ "$(count_running "$1")" -eq 2 ]
}
none_runs() {
  [ "$(count_running "$1")" -eq 0 ]
}

# The parent alone is killed: its children hear of it and stop.
"$QKVLAB" "${LONG[@]}" b >/dev/null 2>&1 </dev/null &
pid=$!
wait_for "two runs" two_run b
run status b
expect_out "of 4 planned: 2 running, 2 missing"
for child in $(pgrep -P $pid); do
  expect_out "process $child on "
done
kill -KILL $pid
wait $pid 2>/dev/null
wait_for "the children's end" none_runs b
run status b
expect_out "of 4 planned: 2 interrupted, 2 missing"
expect_out "4 of 4 runs in plans/"

# Everything is killed, as by a power cut; then one child alone.
"$QKVLAB" "${LONG[@]}" c >/dev/null 2>&1 </dev/null &
pid=$!
wait_for "two runs" two_run c
mapfile -t children < <(pgrep -P $pid)
kill -KILL "${children[0]}" $pid "${children[1]}"
wait $pid 2>/dev/null
wait_for "the children's end" none_runs c
run status c
expect_out "of 4 planned: 2 interrupted, 2 missing"
