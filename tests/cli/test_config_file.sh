#!/usr/bin/env bash
# A file of one's own: shown, run, gone on with, in parts, replaced by --set, changed meanwhile.
. "$(dirname "$0")/common.sh"

cat >sweep.yaml <<END
# what it is for
task: [copy, reverse]
variant: [qkv, qk]
n_embd: 32
n_train: 256
n_test: 64
n_probe: 8
epochs: 1
attention: none
seeds: 0-1
END

run run sweep.yaml --dry-run --out a
expect_status 0
expect_out "reverse-qk-s1-"
expect_err "timing a few training steps on this machine, for about 3 s at most"
expect_err "8 runs to make, 1 at a time with "
grep -qE "estimated time (up to 2|[0-9]+ to [0-9]+) s, memory [0-9]+ MiB$" "$ERR" || fail "time and memory"
expect_err "from training steps of 1 of 1 kind of models"
expect_err "8 runs, 0 of them done"
[ ! -e a ] || fail "a dry run writes nothing"

run run sweep.yaml --out a --shard 0/2
expect_status 0
expect_err "4 runs: 4 trained"
run run sweep.yaml --dry-run --out a
expect_err "4 runs to make"
expect_err "8 runs, 4 of them done"
run run sweep.yaml --out a --jobs 2
expect_status 0
expect_err "8 runs: 4 trained, 4 already done, skipped"
run run sweep.yaml --dry-run --out a
expect_err "8 runs, 8 of them done"
run run sweep.yaml --out one --threads 1
for id in $(ls one/runs); do
  [ "$(grep weights_sha256 one/runs/$id/run.json)" = "$(grep weights_sha256 a/runs/$id/run.json)" ] ||
    fail "the weights of $id differ"
done

# --set replaces what the file says; the same run has the same id, however it was asked for.
run run sweep.yaml --set task=copy --seeds 0 --set variant=qk --out a
expect_status 0
expect_err "1 run: 1 already done, skipped"

# A file that changes while its runs are made changes nothing about them.
cp sweep.yaml moving.yaml
sed -i 's/n_train: 256/n_train: 2560/' moving.yaml
"$QKVLAB" run moving.yaml --jobs 2 --out moving >"$OUT" 2>"$ERR" </dev/null &
pid=$!
wait_for "the first run" test -d moving/runs
printf 'task: sub\n' >moving.yaml
wait $pid
STATUS=$?
COMMAND="qkvlab run moving.yaml --jobs 2"
expect_status 0
expect_err "8 runs: 8 trained"
! ls moving/runs | grep -q sub || fail "the file was read again"

# A preset's file is a start for one's own.
"$QKVLAB" list presets smoke >mine.yaml
run run mine.yaml --dry-run --format csv
cut -d, -f1-7 "$OUT" >first
run run smoke --dry-run --format csv
cut -d, -f1-7 "$OUT" | cmp -s - first || fail "the same runs"
printf 'include: mine.yaml\nseeds: 0-4\n---\ntask: glyphs\nn_train: 100\n' >over.yaml
run run ./over.yaml --dry-run
expect_err "11 runs, 0 of them done"

# What is wrong is told with its place, before anything runs.
refuse() {
  printf "$1" >wrong.yaml
  run run wrong.yaml --out never
  expect_error 2 "$2"
}
refuse 'task: copy\nlearing_rate: 1\n' "wrong.yaml:2:1: there is no key 'learing_rate'; did you mean"
refuse 'n_embd: ten\n' "wrong.yaml:1:9: n_embd: expected a whole number in"
refuse 'task: swap\nseq_len: [16, 15]\n' "wrong.yaml:2:15: cell task=swap seq_len=15 seed=0: swap needs"
refuse '' "wrong.yaml holds no keys"
refuse '\xff\xfe\n' "wrong.yaml:1:1: expected text in UTF-8"
refuse 'a: "\x1b[31m"\n' "wrong.yaml:1:"
refuse 'task: [\n' "this is not YAML"
refuse 'include: wrong.yaml\n' "wrong.yaml includes itself"
refuse 'epochs: 08\n' "wrong.yaml:1:9: epochs: expected a whole number in 1..1000000, found '08'; did you mean '8'?"
refuse 'task: copy\n---\n---\ntask: swap\n' "wrong.yaml:2:1: no keys stand behind this ---"

# What the command line says wrong is not the file's fault.
printf 'n_embd: 63\nn_head: 7\n---\n' >right.yaml
run run right.yaml --set n_embd=64
expect_error 2 "--set n_embd=64: right.yaml:2:9: n_embd 64 cannot be cut into n_head 7"
run run right.yaml --set epochs=08
expect_error 2 "qkvlab: --set: epochs: expected a whole number in 1..1000000, found '08'; did you mean '8'?"
run run right.yaml --seeds 0,0
expect_error 2 "qkvlab: seeds: 0 is in the list twice"
run run right.yaml --set variant=qk,Q=K
expect_error 2 "--set variant=qk,Q=K: the cells "
mkdir folder.yaml
run run folder.yaml
expect_error 2 "it is a folder, expected a file"
mkfifo pipe.yaml
run run pipe.yaml
expect_error 2 "it is a pipe or a device"
truncate -s 1G large.yaml
run run large.yaml
expect_error 2 "has 1073741824 bytes, expected at most 1048576"
[ ! -e never ] || fail "nothing is written"
printf 'task: mnist\n' >mnist.yaml
if ! "$QKVLAB" data list --format csv | grep -q '^mnist,.*,found,'; then
  run run mnist.yaml
  expect_error 3 "MNIST"
fi
