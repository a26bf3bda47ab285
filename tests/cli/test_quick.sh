#!/usr/bin/env bash
# quick has a part of tasks and a part of images; what --set says goes where it means something.
. "$(dirname "$0")/common.sh"

unset QKVLAB_DATA
export HOME=$WORK/home XDG_CACHE_HOME=$WORK/cache
mkdir -p "$HOME"

# runs_of PREFIX: how many runs of the printed plan begin so.
runs_of() {
  grep -c "^$1-" "$OUT"
}

# plan TASKS IMAGES WORD...: quick would train so many runs of tasks and of the data set.
plan() {
  local n_task=$1 n_image=$2
  shift 2
  run quick --dry-run "$@"
  expect_status 0
  [ "$(runs_of "$IMAGES")" -eq "$n_image" ] || fail "$n_image runs on $IMAGES"
  [ "$(grep -cE '^(reverse|sort|sub|swap|copy|shift)-' "$OUT")" -eq "$n_task" ] ||
    fail "$n_task runs on tasks"
}

# Files of Fashion-MNIST may be where the system keeps them; the glyphs need none.
IMAGES=glyphs
if "$QKVLAB" data list --format csv | grep -q '^fashion_mnist,.*,found,'; then
  IMAGES=fashion_mnist
fi

plan 182 6
grep -qE "^$IMAGES-qkv_tied\+-s0-[0-9a-f]{12} +468 " "$OUT" || fail "468 steps on $IMAGES"
if [ $IMAGES = glyphs ]; then
  expect_err "Fashion-MNIST was not found, so glyphs takes its place"
else
  grep -q "was not found" "$ERR" && fail "nothing to say of data that are there"
fi
[ ! -e qkvlab-out ] || fail "--dry-run writes nothing"

plan 42 6 --seeds 0
plan 26 1 --set variant=qkv
plan 42 0 --set task=reverse
grep -q "was not found" "$ERR" && fail "no word on data that nobody asked for"
IMAGES=glyphs
plan 0 6 --set task=glyphs
plan 0 2 --set task=glyphs --set variant=qk --seeds 0,1
plan 7 6 --set task=copy,glyphs --seeds 0
run quick --dry-run --set task=mnist --set variant=qkv --format csv
expect_out ",mnist,qkv,0,468,"

# A key of one part leaves the other alone, and is refused where there is no other part.
run quick --dry-run --set seq_len=32 --set patch=14 --set variant=qk --seeds 0 --format csv
expect_status 0
[ "$(tail -n +2 "$OUT" | wc -l)" -eq 7 ] || fail "six tasks and a data set"
"$QKVLAB" quick --dry-run --set variant=qk --seeds 0 --format csv 2>/dev/null | tail -n +2 |
  cut -d, -f1 | sort >usual
tail -n +2 "$OUT" | cut -d, -f1 | sort >changed
[ -z "$(comm -12 usual changed)" ] || fail "every run has either key"
run quick --dry-run --set task=reverse --set patch=4
expect_error 2 "patch is a key of image data sets"
run quick --dry-run --set task=glyphs --set seq_len=16
expect_error 2 "seq_len follows from the images"

run quick --dry-run --set task=copy --set task=mnist
expect_error 2 "task is set twice"
run quick --dry-run --set task=revers
expect_error 2 "did you mean 'reverse'?"
run quick --dry-run --set task=copy,
expect_error 2 "value 2 of the list is empty"
run quick --dry-run --data nowhere
expect_error 3 "there is no folder nowhere"

# Every run has one place in the whole, whichever machine counts.
"$QKVLAB" quick --dry-run --set task=copy,glyphs 2>/dev/null | sort >whole
for shard in 0 1 2; do
  "$QKVLAB" quick --dry-run --set task=copy,glyphs --shard $shard/3 2>/dev/null | tail -n +2
done | cut -d' ' -f1 | sort >parts
[ "$(wc -l <parts)" -eq 48 ] || fail "42 and 6 runs in three shards"
[ -z "$(uniq -d parts)" ] || fail "no run is in two shards"

# Both parts in one table, with a gap where a variant was trained on one of them.
run quick "${TINY[@]}" --set task=copy,glyphs --set patch=14 --seeds 0 --jobs 2 --threads 2 --out a
expect_status 0
expect_err "13 runs: 13 trained"
expect_out "Mean token accuracy over 1 seed; glyphs: top-1 accuracy of test images over 1 seed"
grep -qE '^variant +copy +glyphs$' "$OUT" || fail "a column of either kind"
grep -qE '^Q=K +[01]\.[0-9]{3} +[01]\.[0-9]{3}$' "$OUT" || fail "a row with both"
grep -qE '^Q=V +[01]\.[0-9]{3} +-$' "$OUT" || fail "Q=V is not trained on images"
grep -q "### Glyphs" a/report/report.md || fail "the report has the images"
run quick "${TINY[@]}" --set task=copy,glyphs --set patch=14 --seeds 0 --out a --format json
expect_status 0
expect_err "13 runs: 13 already done, skipped"
expect_out '"glyphs": '
run quick "${TINY[@]}" --set task=glyphs --set patch=14 --seeds 0 --out a
expect_out "Mean top-1 accuracy of test images over 1 seed"
