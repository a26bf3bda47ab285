# Sourced by every test here. A test runs the program with `run` and then says what it expects of
# exit status, stdout and stderr; the first thing that differs ends it. $QKVLAB is the program.
# shellcheck shell=bash
set -u

QKVLAB=$(cd "$(dirname "${QKVLAB:?the path of the program}")" && pwd)/$(basename "$QKVLAB")
TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1

# Where the program was built with sanitizers: no list of known leaks of libraries on stderr.
export LSAN_OPTIONS=print_suppressions=0

OUT=$WORK/stdout
ERR=$WORK/stderr

# A small model; and with two steps of training, a run of a fraction of a second.
SMALL=(--set n_embd=32 --set n_train=256 --set n_test=64 --set n_probe=8)
TINY=("${SMALL[@]}" --set epochs=1)

fail() {
  echo "FAILED: $*"
  echo "command: ${COMMAND:-}"
  echo "exit status: ${STATUS:-}"
  echo "--- stdout"
  head -c 3000 "$OUT" 2>/dev/null
  echo "--- stderr"
  head -c 3000 "$ERR" 2>/dev/null
  exit 1
}

skip() {
  echo "SKIPPED: $*"
  exit 77
}

# run WORD...: runs the program; nothing may wait for input.
run() {
  COMMAND="qkvlab $*"
  "$QKVLAB" "$@" >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
}

expect_status() {
  [ "$STATUS" -eq "$1" ] || fail "expected exit status $1"
}

# expect_out TEXT, expect_err TEXT: the text is there. A sentence of the program is one line.
expect_out() {
  grep -qF -- "$1" "$OUT" || fail "expected on stdout: $1"
}

expect_err() {
  grep -qF -- "$1" "$ERR" || fail "expected on stderr: $1"
}

expect_no_out() {
  [ ! -s "$OUT" ] || fail "expected nothing on stdout"
}

expect_no_err() {
  [ ! -s "$ERR" ] || fail "expected nothing on stderr"
}

# expect_error STATUS TEXT: nothing on stdout, and one line on stderr that holds the text.
expect_error() {
  expect_status "$1"
  expect_no_out
  [ "$(wc -l <"$ERR")" -eq 1 ] || fail "expected one line on stderr"
  expect_err "qkvlab: "
  expect_err "$2"
}

# wait_for TEXT COMMAND...: repeats a command until it succeeds, for at most 20 seconds.
wait_for() {
  local what=$1
  shift
  for _ in $(seq 400); do
    "$@" && return
    sleep 0.05
  done
  fail "waited in vain for $what"
}
