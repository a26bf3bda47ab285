#!/usr/bin/env bash
# `run --dry-run` states the memory of a run: right within 16 MiB or a tenth.
. "$(dirname "$0")/common.sh"

[ -r /proc/self/status ] || skip "no /proc/self/status to read memory from"
"$QKVLAB" --version | grep -q fsanitize && skip "a sanitizer holds memory of its own"

# most_memory WORD...: the largest memory of the program while it runs, in KiB.
most_memory() {
  local most=0 now pid
  "$QKVLAB" "$@" >"$OUT" 2>"$ERR" </dev/null &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$pid/status 2>/dev/null)
    [ "${now:-0}" -gt "$most" ] && most=$now
    sleep 0.01
  done
  COMMAND="qkvlab $*"
  wait $pid || fail "the run failed"
  echo "$most"
}

# check THREADS KEY=VALUE...
check() {
  local threads=$1 words=(--set epochs=1) key stated most
  shift
  for key in "$@"; do
    words+=(--set "$key")
  done
  run run "${words[@]}" --threads "$threads" --dry-run --format csv --quiet
  expect_status 0
  head -n 1 "$OUT" | grep -q ',memory_mib,estimated_seconds,done$' || fail "memory is the last column but two"
  stated=$(tail -n 1 "$OUT" | awk -F, '{print $(NF - 2)}')
  rm -rf out
  most=$(most_memory run "${words[@]}" --threads "$threads" --out out) || exit 1
  echo "$*, threads $threads: $stated MiB stated, $most KiB held"
  awk -v stated="$stated" -v most="$most" 'BEGIN {
    most /= 1024
    slack = 0.1 * most > 16 ? 0.1 * most : 16
    exit !(most > 0 && stated - most <= slack && most - stated <= slack)
  }' || fail "$*: $stated MiB stated, $most KiB held"
}

# Mostly program, data, model, long sequences, attention maps.
check 1 n_embd=32 n_train=640 n_test=64
check 2 n_embd=8 n_layer=1 n_head=1 mlp_ratio=1 n_train=400000 n_test=64 n_probe=8 seq_len=64 batch_size=100000
check 2 n_embd=512 n_layer=3 n_train=32 n_test=16 n_probe=8 batch_size=32
check 1 task=glyphs n_embd=8 pos_dim=8 patch=28 image_size=56 n_train=30000 n_test=64
check 1 task=glyphs n_embd=8 pos_dim=8 patch=7 image_size=7 n_train=30000 n_test=64
check 1 n_embd=256 n_layer=4 n_train=64 n_test=16 n_probe=4
check 2 n_embd=32 n_layer=1 n_train=16 n_test=4 n_probe=2 seq_len=1024 n_position=1024 attention=none
check 1 n_embd=32 n_layer=2 n_train=16 n_test=4 n_probe=2 seq_len=768 n_position=1024 attention=final
