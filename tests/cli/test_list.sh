#!/usr/bin/env bash
# The lists say what follows from the tables, in three formats.
. "$(dirname "$0")/common.sh"

run --version
expect_status 0
expect_no_err
head -n 1 "$OUT" | grep -qE '^qkvlab [0-9]+\.[0-9]+\.[0-9]+$' || fail "first line: name and version"
for word in commit compiler flags blas simd class processors; do
  expect_out "  $word"
done

run list variants --format csv
expect_status 0
expect_no_err
expect_out "id,name,projections,n_projection,n_cached,product_symmetric,scores_symmetric,product_gram,axes"
expect_out "qkv,QKV,q k v,3,2,no,no,no,,yes,softmax(X W_Q (X W_K)^T / sqrt(d_h)) X W_V"
expect_out "kv,K=V,q kv,2,1,no,no,no,,yes,"
expect_out "qk+,(Q=K)+,qk v,2,2,yes,no,yes,score_term=position2d,yes,"
expect_out 'kv:query=identity,"K=V, query identity",kv,1,1,no,no,no,query=identity,no,'
[ "$(wc -l <"$OUT")" -eq 25 ] || fail "a head and the named variants"

run list tasks --format csv
expect_status 0
expect_out "reverse,y_t = x_(T-1-t),3 1 4 5 -> 5 4 1 3,0.1,\"0<-15, 15<-0\""
[ "$(wc -l <"$OUT")" -eq 7 ] || fail "a head and the six tasks"

run list datasets
expect_status 0
grep -qE '^mnist +MNIST +60000 +10000 +10 +28 +1$' "$OUT" || fail "MNIST and its sizes"
expect_out "qkvlab data list"

run list
expect_status 0
[ "$(tail -n +2 "$OUT" | awk 'NF > 3 {print $1}' | paste -sd' ')" = "variants tasks datasets presets models keys schema" ] || fail "the topics"

run list presets
expect_status 0
grep -v '^qkvlab: warning: other programs took about [0-9]* % of the processors' "$ERR" >said
echo "timing a few training steps on this machine, for about 3 s at most" | cmp -s - said || fail "what takes so long"
grep -qE '^table1 +3240 ' "$OUT" || fail "the published grid and its size"
grep -qE '^smoke +2 .*that everything works$' "$OUT" || fail "name, runs and summary"
run list presets --format csv
expect_out "name,runs,seconds_low,seconds_high,memory_mib,summary"
run list presets quick
expect_status 0
for task in $("$QKVLAB" list tasks --format csv | tail -n +2 | cut -d, -f1); do
  grep -q "^task: .*$task" "$OUT" || fail "quick has the task $task"
done
sharing=$("$QKVLAB" list variants --format csv | grep ',yes,softmax' | cut -d, -f1 | paste -sd, | sed 's/,/, /g')
grep -qF "variant: [$sharing]" "$OUT" || fail "quick has exactly the sharing rows, $sharing"

run list keys
expect_status 0
expect_out "default: of tasks; -: tasks have no such key"
expect_out "  cifar10: epochs 40"
expect_out "  tinyimagenet: n_embd 192, n_layer 6, n_head 6, batch_size 32, patch 8"
expect_out "\`seeds: 0-4\`"
run list keys --format json
expect_status 0
expect_out '"name": "learning_rate",'
expect_out '"alias": "lr",'
expect_out '"alias": null,'
if command -v python3 >/dev/null; then
  for topic in variants tasks datasets presets models keys schema; do
    "$QKVLAB" list $topic --format json | python3 -c 'import json, sys; assert json.load(sys.stdin)' ||
      fail "list $topic is JSON"
  done
fi

COMMAND="qkvlab list keys >/dev/full"
if [ -e /dev/full ]; then
  "$QKVLAB" list keys >/dev/full 2>"$ERR"
  STATUS=$?
  expect_status 4
  expect_err "cannot write the results to stdout: No space left on device"
fi
