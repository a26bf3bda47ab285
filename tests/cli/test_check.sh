#!/usr/bin/env bash
# selftest and crosscheck: what they print and how they end.
. "$(dirname "$0")/common.sh"

run selftest --format csv
expect_status 0
expect_no_err
expect_out "name,measured,bound,passed,what,detail"
for check in "matrix products" exp erf "same bits" OpenBLAS; do
  grep -qE "^$check,[^,]+,[^,]+,yes," "$OUT" || fail "the check $check passed"
done
grep -q FAILED "$OUT" && fail "a check failed"
run selftest --format json
expect_out '"passed": true,'

run crosscheck nowhere.safetensors
expect_error 3 "nowhere.safetensors"
head -c 100 /dev/zero >zeros.safetensors
run crosscheck zeros.safetensors
expect_status 3
expect_err "zeros.safetensors"

bundles=${QKVLAB_GOLDEN:-$(dirname "$0")/../golden}
case $bundles in /*) ;; *) bundles=$OLDPWD/$bundles ;; esac
[ -e "$bundles/qk.safetensors" ] || skip "the rest needs the bundles (QKVLAB_GOLDEN)"
run crosscheck "$bundles"/qk.safetensors "$bundles"/kv.safetensors
expect_status 0
[ "$(grep -c ' passed ' "$OUT")" -eq 2 ] || fail "two bundles pass"
run crosscheck "$bundles"/qk.safetensors nowhere.safetensors
expect_status 3
expect_out " passed"

# A bundle with one wrong number fails, and the message names the tensor.
size=$(stat -c %s "$bundles/qk.safetensors")
cp "$bundles/qk.safetensors" wrong.safetensors && chmod u+w wrong.safetensors
printf '\x00\x00\x80\x44' | dd of=wrong.safetensors bs=1 seek=$((size - 4)) conv=notrunc status=none
run crosscheck wrong.safetensors
expect_status 1
expect_out FAILED
grep -qE 'qkvlab: wrong.safetensors: [a-z0-9]+/[^:]+: error .* is above' "$ERR" || fail "names the tensor"
