#!/usr/bin/env bash
# Wrong usage: exit status 2, nothing on stdout, one sentence that says what would be right.
. "$(dirname "$0")/common.sh"

run
expect_status 2
expect_err "Usage: qkvlab COMMAND"
expect_err "qkvlab: no command was given"

run lst
expect_error 2 "unknown command 'lst'; did you mean 'list'?"
run zzzzzzzz
expect_error 2 "unknown command 'zzzzzzzz' (there are quick, run,"
run --seeds 0
expect_error 2 "expected a command before --seeds"
run help rn
expect_error 2 "did you mean 'run'?"

run run --thread 1
expect_error 2 "unknown option --thread; did you mean --threads?"
run run -x
expect_error 2 "options begin with --"
run list keys --seeds 0
expect_error 2 "list does not take --seeds"
run run --dry-run=1
expect_error 2 "--dry-run takes no value"
run run --set
expect_error 2 "--set needs KEY=VALUE behind it"
run run --threads 0
expect_error 2 "--threads: expected a whole number in 1..1024, found '0'"
run run --jobs many
expect_error 2 "--jobs: expected a whole number in 1..1024, found 'many'"
run run --shard 2/2
expect_error 2 "0 <= I < N"
run run --shard=-1/2
expect_error 2 "0 <= I < N"
run run --format xml
expect_error 2 "unknown format 'xml'"
run run --out ""
expect_error 2 "--out: expected the name of a folder"

run run -o runs
expect_error 2 "unknown option -o: options begin with --"
run baseline record -o
expect_error 2 "--output needs FILE behind it"
run baseline record -o a.json --output b.json
expect_error 2 "--output is given twice; it takes one value"
run baseline record -o ""
expect_error 2 "--output: expected the name of a file, found ''"
run lesson symmetry --lang kr
expect_error 2 "unknown language 'kr'; did you mean 'ko'? (there are en, ko)"
run bench --seconds 0
expect_error 2 "--seconds: expected a number above 0 and up to 3600, found '0'"
run bench --threads 1,x
expect_error 2 "--threads: expected a whole number in 1..1024, found 'x'"
run cost --memory 40XB
expect_error 2 "--memory: "

run --version x
expect_error 2 "--version stands alone, found 'x' behind it"
run --help run
expect_error 2 "--help stands alone"

# What is given twice, and differs or not.
run run --jobs 2 --jobs 3
expect_error 2 "--jobs is given twice"
run cost --variant qkv --variant qkv
expect_error 2 "--variant qkv is given twice"
run cost --set n_embd=64 --set n_embd=128
expect_error 2 "n_embd is set twice"
run run --set variant=qkv:causal=1:causal=0
expect_error 2 "names causal twice"
run run --set variant=qk+:score_term=none
expect_error 2 "names score_term twice"

for command in report status attention; do
  run $command ""
  expect_error 2 "$command: expected the name of a folder, found ''"
done
run crosscheck ""
expect_error 2 "expected the name of a file"
run data list --data ""
expect_error 2 "--data: expected the name of a folder"

# Control characters of the command line do not reach the terminal.
run status $'a\e[31mb'
expect_error 3 "a?[31mb: no runs"
run run "${TINY[@]}" --out $'a\e[31mb'
expect_err "1 run in a?[31mb"
expect_err "Next: qkvlab report \$'a\\033[31mb'"
rm -rf $'a\e[31mb'
run run --set $'task=\x07'
expect_error 2 "found '?'"

run list task
expect_error 2 "did you mean 'tasks'?"
run list tasks keys
expect_error 2 "only presets have a NAME"
run list presets quick smoke
expect_error 2 "'smoke' is one word too many"
run list presets quik
expect_error 2 "unknown preset 'quik'; did you mean 'quick'?"
run completion tcsh
expect_error 2 "unknown shell 'tcsh'"
run crosscheck
expect_error 2 "crosscheck needs FILE..."

run run quik
expect_error 2 "there is no preset 'quik'; did you mean 'quick'?"
run run grid
expect_error 2 "there is no preset 'grid'"
run run sweep.yaml
expect_error 2 "cannot open sweep.yaml: No such file"
run run task=copy
expect_error 2 "needs --set in front of it"

run run --set learing_rate=0.1
expect_error 2 "did you mean 'learning_rate'"
run run --set lr=1 --set learning_rate=2
expect_error 2 "set twice"
run run --set n_embd=30 --set n_head=4
expect_error 2 "n_embd 28 or 32"
run run --set task=swap --set seq_len=15
expect_error 2 "14 or 16"
run run --set variant=kq
expect_error 2 "variant"
run run --seeds 5-3
expect_error 2 "runs backwards"

[ ! -e qkvlab-out ] || fail "wrong usage must not make a folder"
