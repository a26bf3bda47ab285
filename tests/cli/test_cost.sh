#!/usr/bin/env bash
# cost and identities: their tables, and what they refuse.
. "$(dirname "$0")/common.sh"

run cost 300m --format csv
expect_status 0
expect_no_err
expect_out "variant,name,n_param,n_param_cut,forward_macs,training_macs,cache_per_token,context,cache,cache_cut,users"
expect_out "qkv,QKV,305534976,0,792689901568,2378069704704,81920,32000,2621440000,0,"
expect_out "kv:n_kv_head=1,\"K=V, n_kv_head 1\",264862976,"
expect_out ",2560,32000,81920000,96.875,"
[ "$(wc -l <"$OUT")" -eq 8 ] || fail "a head and seven variants"

run cost
expect_status 0
expect_out "qkv_tied+       93024"
expect_out "encoder: n_layer 2, n_embd 64"

run cost --set n_embd=256 --set n_layer=4 --variant qk+ --variant qkv --format csv
expect_status 0
expect_out "qk+,(Q=K)+,2934582,"
expect_out "qkv,QKV,3197706,"
[ "$(wc -l <"$OUT")" -eq 3 ] || fail "only the variants asked for"

# 40 GB / (81920 B x 8000) = 61.03
run cost 300m --variant qkv --context 8000 --memory 40GB --format csv
expect_status 0
expect_out ",81920,8000,655360000,0,61"
run cost 300m --variant qkv --context 8000 --users --format csv # 40 GB unless --memory says else
expect_status 0
expect_out ",81920,8000,655360000,0,61"
run cost 300m --variant qkv --context 8000 --users --memory 80GB --format csv
expect_status 0
expect_out ",81920,8000,655360000,0,122"
run cost 300m --variant qkv --bytes 1
expect_status 0
expect_out "40960"

run cost 300m --set n_embd=600 --set n_head=6
expect_status 0
expect_err "left out: variant qkv:n_kv_head=4: n_kv_head 4 does not divide n_head 6"
[ "$(wc -l <"$ERR")" -eq 2 ] || fail "two variants are left out"

run cost 300n
expect_error 2 "did you mean '300m'?"
run cost 300m extra
expect_error 2 "one word too many"
run cost --set n_embed=3
expect_error 2 "did you mean 'n_embd'?"
run cost --set n_embd
expect_error 2 "expected key=value, found 'n_embd'"
run cost --set n_embd=64,128
expect_error 2 "whole number in 2..16384, found '64,128'"
run cost --set variant=kv
expect_error 2 "chosen with --variant kv"
run cost --variant kw
expect_error 2 "did you mean 'kv'?"
run cost --variant kv:n_kv_head=3
expect_error 2 "does not divide n_head 4"
run cost --set n_head=5
expect_error 2 "n_embd 64 cannot be cut into n_head 5 equal heads; n_embd 60 or 65, or n_head 4 or 8 would work"
run cost --context 0
expect_error 2 "--context: expected a whole number"
run cost --memory 40
expect_status 0
run cost --memory lots
expect_error 2 "--memory: expected an amount of memory such as 40GB"

run list models --format csv
expect_status 0
expect_out "vit-mnist,105098,"
expect_out "300m,305534976,"
for model in $(tail -n +2 "$OUT" | cut -d, -f1); do
  "$QKVLAB" cost "$model" >/dev/null 2>&1 || fail "cost $model"
done

run identities --format csv
expect_status 0
expect_no_err
expect_out "name,error,bound,control,holds,condition,formula,why"
grep -q ',NO,' "$OUT" && fail "an identity does not hold"
[ "$(grep -c ',yes,' "$OUT")" -eq 14 ] || fail "fourteen lines"
run identities --set n_embd=32 --set n_head=2 --set seq_len=5 --set seed=3
expect_status 0
expect_out "= MHA(X W_Q; I, W_Q^-1 W_K, W_Q^-1 W_V)"
awk 'length($0) > 100 { exit 1 }' "$OUT" || fail "lines of at most 100 columns"
run identities --set n_embd=1000
expect_error 2 "n_embd: identities take 2 to 256, found 1000"
run identities --set epochs=3
expect_error 2 "do not depend on epochs; they take n_embd, n_head"
run identities --set n_embd=30
expect_error 2 "no multiple of n_head 4"
run identities --set seed=x
expect_error 2 "seed: expected a whole number"
if command -v python3 >/dev/null; then
  "$QKVLAB" identities --format json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)) == 14' ||
    fail "identities is JSON"
  "$QKVLAB" cost --format json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)) == 7' ||
    fail "cost is JSON"
fi

# Four tasks, two sharings, six score terms, six seeds; 79 steps an epoch.
for preset in plus-ablation:158 plus-ablation-long:790; do
  run run "${preset%:*}" --dry-run --format csv
  expect_status 0
  [ "$(wc -l <"$OUT")" -eq 289 ] || fail "288 runs"
  [ "$(grep -c ",${preset#*:}," "$OUT")" -eq 288 ] || fail "${preset#*:} steps each"
done

run list keys --format csv
expect_out "for query=identity arXiv 2510.23912 advises 0.03125 (2^-5)"
