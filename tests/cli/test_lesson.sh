#!/usr/bin/env bash
# qkvlab lesson: what it refuses before any training, what it prints, that runs are used again, slides.
. "$(dirname "$0")/common.sh"

FEW=(--set task=reverse,shift --set variant=qkv,qk --seeds 0 --set n_train=128 --set n_test=32
  --set n_probe=4 --set n_embd=8)

run lesson
expect_error 2 "lesson needs symmetry"
run lesson symetry
expect_error 2 "unknown lesson 'symetry'; did you mean 'symmetry'?"
run lesson symmetry --lang kp
expect_error 2 "unknown language 'kp'"
run lesson symmetry --seeds x
expect_status 2
[ ! -e qkvlab-out ] || fail "nothing is written before the command is understood"

run lesson symmetry --dry-run "${FEW[@]}"
expect_status 0
expect_out "reverse"
[ ! -e qkvlab-out ] || fail "a dry run writes nothing"

run lesson symmetry --out class "${FEW[@]}"
expect_status 0
[ "$(cat "$OUT")" = class/lesson/symmetry.html ] || fail "the path of the page is all on stdout"
expect_err "trained"
[ ! -e class/lesson/slides ] || fail "slides are made when they are asked for"
[ "$(head -c 15 class/lesson/symmetry.html)" = "<!doctype html>" ] || fail "the page is HTML"
! grep -q "{{" class/lesson/symmetry.html || fail "every place of the template is filled"

run lesson symmetry --out class --lang ko --slides "${FEW[@]}"
expect_status 0
expect_err "already done"
expect_err "6 slides in class/lesson/slides"
[ "$(cat "$OUT")" = class/lesson/symmetry.ko.html ] || fail "another language is another file"
grep -q 'lang="ko"' class/lesson/symmetry.ko.html || fail "the page says its language"

# The same runs give the same page.
cp class/lesson/symmetry.html before.html
run lesson symmetry --out class --quiet "${FEW[@]}"
expect_status 0
expect_no_err
cmp -s before.html class/lesson/symmetry.html || fail "the page is made again, byte for byte"

# Without maps and with other tasks the page is still made.
run lesson symmetry --out other --quiet --set task=copy --set variant=qkv --set attention=none --seeds 0 \
  --set n_train=128 --set n_test=32 --set n_embd=8 --slides
expect_status 0
