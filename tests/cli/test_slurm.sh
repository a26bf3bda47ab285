#!/usr/bin/env bash
# The scripts for Slurm, with the variables that Slurm sets set by hand: the tasks of an array make the
# grid once, killed ones go on, folders become one by copying. scripts/slurm/test_real.sh asks Slurm.
SLURM=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts/slurm" && pwd)
. "$(dirname "$0")/common.sh"
export QKVLAB

export SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_CPUS_PER_TASK=2
export QKVLAB_WAIT=1

cat >sweep.yaml <<END
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

# task NUMBER WORD...: what a task of the array does.
task() {
  local number=$1
  shift
  COMMAND="array task $number: $*"
  SLURM_ARRAY_TASK_ID=$number bash "$SLURM/array.sbatch" "$@" >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
}

# report WORD...: the job after the array.
report() {
  COMMAND="report.sbatch $*"
  bash "$SLURM/report.sbatch" "$@" >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
}

# fingerprint FOLDER: the runs and what they learned.
fingerprint() {
  local folder
  for folder in "$1"/runs/*; do
    printf '%s %s\n' "$(basename "$folder")" "$(grep -h '"weights_sha256"' "$folder/run.json")"
  done
}

expect_same() {
  cmp -s "$1" "$2" || {
    diff "$1" "$2" | head -5
    fail "$3"
  }
}

expect_same_runs() {
  fingerprint "$1" >first
  fingerprint "$2" >second
  expect_same first second "$1 and $2 hold the same runs"
}

run run sweep.yaml --out whole --threads 1
expect_status 0

# Every cell once: the shards have no run in common, and together they are the grid.
for number in 0 2 1; do
  task $number sweep.yaml shared
  expect_status 0
  expect_err "shard $number of 3"
  ! grep -q "skipped" "$ERR" || fail "no shard meets another's runs"
done
expect_same_runs whole shared

# Numbers that begin elsewhere and have a step; an array with gaps looks at everything.
SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=5 SLURM_ARRAY_TASK_MAX=15 task 15 sweep.yaml steps
expect_err "shard 2 of 3"
SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 task 4 sweep.yaml steps
expect_err "works on the whole grid"
expect_same_runs whole steps

# A folder a task, then one by copying: the report is that of one sweep, but for times.
for number in 0 1 2; do
  task $number sweep.yaml part-%a
  expect_status 0
done
mkdir -p part-1/runs/copy-qkv-s9-000000000000.partial merged
cp -r part-0/runs merged
report merged part-0 part-1 part-2
expect_status 0
expect_err "0 runs copied from part-0"
expect_same_runs whole merged
[ -s merged/report/report.html ] || fail "a report"
run report whole
without_times() {
  sed -E 's/"[a-z_]*seconds": [0-9.e+-]+//g' "$1/report/report.json"
}
without_times whole >first
without_times merged >second
expect_same first second "the same report"

# The number of the task may stay open, also while there are no folders yet.
report open part-%a
expect_status 0
expect_err "runs copied from part-2"
expect_same_runs whole open

# cp alone is all that it takes.
mkdir -p copied/runs
cp -r part-*/runs/*-????????????/ copied/runs
expect_same_runs whole copied

# Long enough to be met in the middle.
LONG=(sweep.yaml killed --set n_train=6400)
run run sweep.yaml --set n_train=6400 --out long --jobs 2
expect_status 0
is_claimed() {
  compgen -G 'killed/runs/*.partial/claim' >/dev/null
}
count_finished() {
  find killed/runs -mindepth 1 -maxdepth 1 ! -name '*.partial' | wc -l
}
finished_more() {
  [ "$(count_finished)" -gt "$1" ]
}
is_gone() {
  ! pgrep -g "$1" >/dev/null
}
start_task() {
  COMMAND="array task $1, in the background"
  SLURM_ARRAY_TASK_ID=$1 setsid bash "$SLURM/array.sbatch" "${LONG[@]}" >"$OUT" 2>"$ERR" </dev/null &
  pid=$!
  wait_for "a run" is_claimed
}
end_task() {
  wait $pid
  STATUS=$?
}
start_task 0
kill -KILL -- -$pid
end_task 2>/dev/null
wait_for "the end of the program" is_gone $pid
task 0 "${LONG[@]}"
expect_status 0

# Slurm tells every process of a task, then the script tells the program again: still a clean end.
start_task 1
kill -TERM -- -$pid
end_task
expect_status 143
expect_err "stopped by a signal"
! grep -q "back into the queue" "$ERR" || fail "scancel is not undone"
! is_claimed || fail "no claim is left"

# Shortly before the time is up: back into the queue if something was finished, else an error.
mkdir bin
printf '#!/bin/sh\necho "$@" >>"%s/scontrol.log"\n' "$WORK" >bin/scontrol
chmod +x bin/scontrol
PATH=$WORK/bin:$PATH
export SLURM_ARRAY_JOB_ID=77
start_task 1
kill -USR1 $pid
end_task
if ! finished_more 3; then
  expect_status 1
  expect_err "no run was finished in the time that the task had"
  [ ! -e scontrol.log ] || fail "no endless requeueing"
fi
rm -rf killed/runs
start_task 1
wait_for "a finished run" finished_more 0
kill -USR1 $pid
end_task
if [ -e scontrol.log ]; then
  expect_status 143
  expect_err "goes back into the queue"
  [ "$(cat scontrol.log)" = "requeue 77_1" ] || fail "scontrol requeue of this task"
else
  expect_status 0 # it was faster than the signal
fi
for number in 0 1 2; do
  task $number "${LONG[@]}"
  expect_status 0
done
expect_same_runs long killed

# Claims of a node that died look alive for a minute; a task waits until they do not.
for id in shared/runs/*; do
  break
done
rm -r "$id"
mkdir "$id.partial"
printf 'origin elsewhere 1 pid:[1]\npid 1\nstart 1\nend\n' >"$id.partial/claim"
touch -d '-58 seconds' "$id.partial/claim"
SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MAX=0 task 0 sweep.yaml shared
expect_status 0
expect_err "claimed by another process"
expect_same_runs whole shared

# What is missing is said.
task 0 sweep.yaml
expect_status 2
expect_err "expected: sbatch --array"
QKVLAB=/nowhere/qkvlab task 0 sweep.yaml shared
expect_status 2
expect_err "there is no program '/nowhere/qkvlab'"
(unset SLURM_CPUS_PER_TASK && task 0 sweep.yaml shared && expect_status 0) || exit 1
expect_err "SLURM_CPUS_PER_TASK is not set"
for name in ID COUNT; do
  COMMAND="array.sbatch without SLURM_ARRAY_TASK_$name"
  (export SLURM_ARRAY_TASK_ID=0 && unset SLURM_ARRAY_TASK_$name &&
    bash "$SLURM/array.sbatch" sweep.yaml shared) >"$OUT" 2>"$ERR"
  STATUS=$?
  expect_status 2
  expect_err "SLURM_ARRAY_TASK_$name is not set"
done
report shared nowhere
expect_status 2
expect_err "nowhere holds no runs"
report shared nowhere-%a
expect_status 2
expect_err "nowhere-%a holds no runs"
