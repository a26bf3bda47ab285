#!/usr/bin/env bash
# Data sets: what is missing is said at once, what is there is found, checked and shown.
. "$(dirname "$0")/common.sh"

export HOME=$WORK/home
mkdir -p "$HOME"
unset QKVLAB_DATA XDG_CACHE_HOME

# mnist FOLDER: an empty image and the label 7, for training and test.
mnist() {
  mkdir -p "$1"
  for split in train t10k; do
    { printf '\0\0\10\3\0\0\0\1\0\0\0\34\0\0\0\34' && head -c 784 /dev/zero; } >"$1/$split-images-idx3-ubyte"
    printf '\0\0\10\1\0\0\0\1\7' >"$1/$split-labels-idx1-ubyte"
  done
}

run data list --format csv
expect_status 0
expect_no_err
expect_out "name,title,images,n_class,state,folder,reason"
expect_out "glyphs,Glyphs,28 x 28 grey,10,built in,,"
expect_out "mnist,MNIST,28 x 28 grey,10,missing,,\"MNIST was not found: looked for train-images-idx3-ubyte"

run data check mnist
expect_error 3 "MNIST was not found: looked for train-images-idx3-ubyte (47040016 bytes), "
expect_err "$HOME/.cache/qkvlab/data"
expect_err "scripts/fetch_data.sh mnist"

# each place comes before the next
mnist "$HOME/.cache/qkvlab/data/mnist"
run data list
expect_status 0
expect_out "$HOME/.cache/qkvlab/data/mnist"
mnist "$WORK/xdg/qkvlab/data/MNIST/raw"
export XDG_CACHE_HOME=$WORK/xdg
run data list
expect_out "$WORK/xdg/qkvlab/data/MNIST/raw"
mnist "$WORK/environment"
export QKVLAB_DATA=$WORK/environment
run data list
expect_out "$WORK/environment"
mnist "$WORK/option/MNIST"
run data list --data "$WORK/option"
expect_out "  --data       $WORK/option"
expect_out "$WORK/option/MNIST"
run data list --data "$WORK/nowhere"
expect_error 3 "--data: there is no folder $WORK/nowhere"

# other files than the published ones: a warning, not an error
run data check mnist --format csv
expect_status 0
expect_err "warning: $WORK/environment/train-images-idx3-ubyte differs from the published file: 800 bytes"
expect_out "mnist,train-images-idx3-ubyte,800,"
expect_out "differs from published"
expect_out "mnist,(test images),1,,10000 were published"
grep -qE '^mnist,\(all images\),2,[0-9a-f]{64},70000 were published' "$OUT" || fail "the SHA-256 of all images, once"
run data list --format csv
expect_out "MNIST,28 x 28 grey,10,\"found, sizes differ\","

# without a name: what is there; a broken one does not hide the others
printf 'x' >>"$WORK/environment/t10k-labels-idx1-ubyte"
run data check
expect_status 3
expect_err "goes on behind its end, expected 9 bytes"
expect_out "BAD"
expect_out "glyphs"

# something else of the same name
mnist "$WORK/blocked"
rm "$WORK/blocked/train-labels-idx1-ubyte"
mkdir "$WORK/blocked/train-labels-idx1-ubyte"
mv "$QKVLAB_DATA" "$WORK/aside"
rm -r "$HOME/.cache" "$XDG_CACHE_HOME"
run data check mnist --data "$WORK/blocked"
expect_error 3 "MNIST cannot be read: $WORK/blocked/train-labels-idx1-ubyte is a folder, expected a file of 60008 bytes, plain or .gz; get it"
rmdir "$WORK/blocked/train-labels-idx1-ubyte"
mkfifo "$WORK/blocked/train-labels-idx1-ubyte"
run run --set task=mnist --data "$WORK/blocked" --out never
expect_error 3 "$WORK/blocked/train-labels-idx1-ubyte is a pipe (FIFO), expected a file"
mv "$WORK/aside" "$QKVLAB_DATA"

run data show glyphs --out "$WORK/out"
expect_status 0
[ "$(cat "$OUT")" = "$WORK/out/data/glyphs.png" ] || fail "the path on stdout"
[ "$(head -c 4 "$WORK/out/data/glyphs.png" | tail -c 3)" = PNG ] || fail "a PNG"
run data show glyphs --out "$WORK/out" --format csv
expect_out "glyphs,$WORK/out/data/glyphs.png"

run data show
expect_error 2 "data show needs the name of a data set"
run data show minst
expect_error 2 "unknown data set 'minst'; did you mean 'mnist'?"
run data lst
expect_error 2 "unknown action 'lst'; did you mean 'list'?"
