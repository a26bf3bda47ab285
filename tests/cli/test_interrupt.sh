#!/usr/bin/env bash
# SIGINT and SIGTERM end a sweep cleanly with 130 and 143; the same command again goes on.
. "$(dirname "$0")/common.sh"

LONG=(run "${SMALL[@]}" --set epochs=100000 --out)

is_running() {
  "$QKVLAB" status "$1" 2>/dev/null | grep -q running
}

# stop SIGNAL EXPECTED FOLDER WORD...: starts a long sweep and stops it in its first run.
stop() {
  local signal=$1 expected=$2 folder=$3
  shift 3
  COMMAND="qkvlab $* (and SIG$signal)"
  "$QKVLAB" "$@" >"$OUT" 2>"$ERR" </dev/null &
  local pid=$!
  wait_for "a run in $folder" is_running "$folder"
  kill "-$signal" $pid
  wait $pid
  STATUS=$?
  expect_status "$expected"
  expect_err "qkvlab: stopped by a signal"
  expect_no_out
  run status "$folder"
  expect_out "interrupted"
  ! grep -q running "$OUT" "$OUT" || fail "nobody is at work"
  [ -z "$(find "$folder/runs" -type f)" ] || fail "of an interrupted run only an empty folder is left"
}

stop INT 130 a "${LONG[@]}" a
stop TERM 143 b "${LONG[@]}" b
stop INT 130 c "${LONG[@]}" c --seeds 0-3 --jobs 2
stop TERM 143 d quick --set task=reverse --set epochs=100000 --out d

# A batch system signals every process, then the parent of --jobs tells its children again: they still
# finish their step and give their claims up.
two_at_work() {
  [ "$(ls h/runs/*.partial/claim 2>/dev/null | wc -l)" -eq 2 ]
}
COMMAND="qkvlab run --jobs 2 (and SIGTERM to all of its processes)"
"$QKVLAB" "${LONG[@]}" h --seeds 0-1 --jobs 2 >"$OUT" 2>"$ERR" </dev/null &
pid=$!
wait_for "two runs" two_at_work
kill -TERM $(pgrep -P $pid) $pid
wait $pid
STATUS=$?
expect_status 143
[ -z "$(find h/runs -type f)" ] || fail "runs that were told twice to stop give their claims up"

# What was done before stays; what was interrupted is not there.
run run "${TINY[@]}" --out e
expect_status 0
"$QKVLAB" run "${SMALL[@]}" --set epochs=1,100000 --out e >"$OUT" 2>"$ERR" &
pid=$!
wait_for "the second run" is_running e
kill -TERM $pid
wait $pid
STATUS=$?
expect_status 143
expect_err "1 already done, skipped"
run status e
expect_out "1 ok, 1 interrupted"
[ "$(ls e/runs | grep -vc partial)" -eq 1 ] || fail "the interrupted run is not there"

# kill -9 leaves a claim of a dead process, which the next one takes over.
"$QKVLAB" "${LONG[@]}" f >"$OUT" 2>"$ERR" &
pid=$!
wait_for "a run" is_running f
kill -KILL $pid
wait $pid 2>/dev/null
run status f
expect_out "of 1 planned: 1 interrupted"
stop TERM 143 f "${LONG[@]}" f

# A command that does not train ends at the first signal, also while it waits for a file.
mkdir -p g/runs/a
mkfifo g/runs/a/run.json pipe
# It may also refuse the file before; it must not need a SIGKILL (137).
ends_at_once() {
  local signal=$1
  shift
  COMMAND="qkvlab $* (and SIG$signal)"
  timeout -k 5 -s "$signal" 1 "$QKVLAB" "$@" >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
  [ "$STATUS" -ne 137 ] || fail "the signal did not end it"
  ! grep -q "goes on" "$OUT" || fail "nothing goes on"
}
ends_at_once TERM status g
ends_at_once TERM report g
ends_at_once INT crosscheck pipe
