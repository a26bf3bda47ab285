#!/usr/bin/env bash
# stderr in a file gets plain lines every few seconds; a terminal gets a bar, coloured if welcome.
. "$(dirname "$0")/common.sh"

LONG=(run "${SMALL[@]}" --set epochs=100000 --out)

COMMAND="qkvlab run (stderr is a file)"
timeout -s TERM 12 "$QKVLAB" "${LONG[@]}" a >"$OUT" 2>"$ERR" </dev/null
lines=$(grep -cE '^0/1 runs, about .* left: reverse qkv s0 step [0-9]+/[0-9]+ loss [0-9.]+$' "$ERR")
[ "$lines" -ge 1 ] && [ "$lines" -le 3 ] || fail "one to three lines in twelve seconds, found $lines"
grep -q $'[\r\033]' "$ERR" && fail "no terminal codes in a file"

run run "${TINY[@]}" --out b --quiet
expect_status 0
expect_no_err

command -v script >/dev/null || skip "the rest needs script(1)"
on_terminal() {
  COMMAND="$* (on a terminal of 80 columns)"
  TERM=xterm script -qec "stty cols 80; $*" /dev/null >"$OUT" </dev/null
}
on_terminal "timeout -s TERM 3 $QKVLAB ${LONG[*]} c"
grep -q $'\033\[32m' "$OUT" || fail "a coloured bar"
grep -qE '0/1 runs, about ' "$OUT" || fail "the time left"
widest=$(tr '\r' '\n' <"$OUT" | sed 's/\x1b\[[0-9]*[mK]//g' | awk '{ if (length > n) n = length } END { print n }')
[ "$widest" -le 80 ] || fail "a line of $widest columns on a terminal of 80"
on_terminal "NO_COLOR=1 timeout -s TERM 2 $QKVLAB ${LONG[*]} d"
grep -q $'\033\[32m' "$OUT" && fail "NO_COLOR: no colours"
grep -qE '#|\.\.\. 0/1 runs' "$OUT" || fail "NO_COLOR: still a bar"
on_terminal "TERM=dumb timeout -s TERM 2 $QKVLAB ${LONG[*]} e"
grep -q $'\033' "$OUT" && fail "a dumb terminal gets plain lines"
exit 0
