#!/usr/bin/env bash
# array.sbatch and report.sbatch under a real Slurm: one node, started here and stopped at the end, with
# everything it writes in a temporary folder. Needs root and Debian's packages, which it installs; no
# systemd, and a Slurm that is already configured is left alone.
#
#   scripts/slurm/test_real.sh [PROGRAM]
#
# Exit status 77: it could not be tried here.
set -uo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

SCRIPTS="$REPOSITORY/scripts/slurm"
WAIT=600 # seconds at most for each thing that is waited for; sent back tasks may rest for two minutes
PIDS=()
UP= # yes: jobs may be there

skip() {
  say "skipped: $*"
  exit 77
}

fail() {
  say "FAILED: $*"
  squeue -a 2>/dev/null
  tail -n 15 "$WORK"/*.log 2>/dev/null
  exit 1
}

daemons_live() {
  local pid
  for pid in "${PIDS[@]}"; do
    kill -0 "$pid" 2>/dev/null || return
  done
}

# wait_for WHAT COMMAND...: repeats a command until it succeeds.
wait_for() {
  local what=$1 end=$((SECONDS + WAIT))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "waited in vain for $what"
    daemons_live || fail "a daemon has ended; waited for $what"
    sleep 0.2
  done
}

# ---- the cluster ----

nothing_runs() {
  [ -z "$(squeue -h -t running,completing 2>/dev/null)" ]
}

# Tasks first: without slurmd nobody ends what one of them has started.
stop_cluster() {
  local pid
  if [ -n "$UP" ]; then
    scancel -u root 2>/dev/null
    for _ in $(seq 100); do
      nothing_runs && break
      sleep 0.2
    done
  fi
  for ((i = ${#PIDS[@]} - 1; i >= 0; i--)); do
    pid=${PIDS[i]}
    kill -TERM "$pid" 2>/dev/null
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null
  done
  rm -rf "$WORK"
}

# start NAME COMMAND...: a daemon in the foreground of its own log.
start() {
  local name=$1
  shift
  "$@" >"$WORK/$name.out.log" 2>&1 </dev/null &
  PIDS+=($!)
}

# Containers may have no cgroups. Nothing here uses them, and with this name Slurm does not look for them.
write_configuration() {
  local node=$1
  echo CgroupPlugin=cgroup/v1 >"$WORK/cgroup.conf"
  cat >"$WORK/slurm.conf" <<TEXT
ClusterName=qkvlab
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$WORK/munge/socket
CredType=cred/munge
SlurmctldPort=$FREE_PORT
SlurmdPort=$((FREE_PORT + 1))
StateSaveLocation=$WORK/state
SlurmdSpoolDir=$WORK/spool
SlurmctldPidFile=$WORK/slurmctld.pid
SlurmdPidFile=$WORK/slurmd.pid
SlurmctldLogFile=$WORK/slurmctld.log
SlurmdLogFile=$WORK/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=10
MinJobAge=300
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
TEXT
}

node_is_idle() {
  [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]
}

start_cluster() {
  local node
  node=$(hostname -s)
  FREE_PORT=$((20000 + $$ % 20000))
  chmod 755 "$WORK"
  mkdir -p "$WORK/munge" "$WORK/state" "$WORK/spool"
  head -c 1024 /dev/urandom >"$WORK/munge/key"
  chmod 400 "$WORK/munge/key"
  chown -R munge:munge "$WORK/munge"
  write_configuration "$node"
  export SLURM_CONF="$WORK/slurm.conf"
  start munged setpriv --reuid=munge --regid=munge --clear-groups munged --foreground \
    --socket="$WORK/munge/socket" --key-file="$WORK/munge/key" --pid-file="$WORK/munge/pid" \
    --seed-file="$WORK/munge/seed" --log-file="$WORK/munge/log"
  wait_for munged test -S "$WORK/munge/socket"
  start slurmctld slurmctld -D
  start slurmd slurmd -D -N "$node"
  wait_for "an idle node" node_is_idle
  UP=yes
}

# ---- what is asked of it ----

submit() {
  sbatch --parsable --chdir="$WORK" --cpus-per-task=1 --mem-per-cpu=500 "$@"
}

# state JOB: of an array's task as 12_0, or of a job.
state() {
  scontrol show job "$1" 2>/dev/null | sed -nE 's/.*JobState=([A-Z]+).*/\1/p' | head -1
}

is_running() {
  [ "$(state "$1")" = RUNNING ]
}

has_ended() {
  case $(state "$1") in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) ;; *) return 1 ;; esac
}

count_finished() {
  find "$1/runs" -mindepth 1 -maxdepth 1 -type d ! -name '*.partial' 2>/dev/null | wc -l
}

finished_more() {
  [ "$(count_finished "$1")" -gt "$2" ]
}

says() {
  grep -qs -- "$2" "$1"
}

# program_of SHARD: the process that trains it.
program_of() {
  pgrep -f -- "$PROGRAM run .*--out $WORK/runs .*--shard $1/2" | head -1
}

# fingerprint FOLDER: the runs and what they learned.
fingerprint() {
  local folder
  for folder in "$1"/runs/*; do
    printf '%s %s\n' "$(basename "$folder")" "$(grep -h '"weights_sha256"' "$folder/run.json")"
  done
}

expect_all_runs() {
  fingerprint "$WORK/expected" >"$WORK/first.txt"
  fingerprint "$1" >"$WORK/second.txt"
  cmp -s "$WORK/first.txt" "$WORK/second.txt" || {
    diff "$WORK/first.txt" "$WORK/second.txt"
    fail "every run once, as without Slurm"
  }
}

sent_back_and_killed() {
  local sweep report
  say "an array of two tasks: one is sent back in the middle, the program of the other is killed"
  sweep=$(submit --array=0-1 "$SCRIPTS/array.sbatch" sweep.yaml "$WORK/runs") || fail "sbatch"
  report=$(submit --dependency=afterany:"$sweep" "$SCRIPTS/report.sbatch" "$WORK/runs") || fail "sbatch"
  wait_for "a finished run" finished_more "$WORK/runs" 0
  wait_for "task 0" is_running "${sweep}_0"
  scontrol requeue "${sweep}_0" || fail "scontrol requeue"
  wait_for "task 1" is_running "${sweep}_1"
  wait_for "the program of task 1" program_of 1 >"$WORK/pid.txt"
  kill -KILL "$(head -1 "$WORK/pid.txt")"
  wait_for "the end of task 1" has_ended "${sweep}_1"
  [ "$(state "${sweep}_1")" = FAILED ] || fail "a task whose program was killed has failed"
  wait_for "the end of task 0" has_ended "${sweep}_0"
  says "$WORK/qkvlab-${sweep}_0.log" "restarted 1 times" || fail "task 0 was started twice"
  says "$WORK/qkvlab-${sweep}_0.log" "stopped by a signal" || fail "task 0 ended cleanly before"
  [ "$(state "${sweep}_0")" = COMPLETED ] || fail "task 0 is done"
  wait_for "the report" has_ended "$report"
  [ -s "$WORK/runs/report/report.html" ] || fail "a report of what there is"

  say "the same line again makes what is missing"
  sweep=$(submit --array=0-1 "$SCRIPTS/array.sbatch" sweep.yaml "$WORK/runs") || fail "sbatch"
  wait_for "the end of task 0" has_ended "${sweep}_0"
  wait_for "the end of task 1" has_ended "${sweep}_1"
  expect_all_runs "$WORK/runs"
}

cancelled() {
  local sweep
  say "scancel is final: the task does not come back"
  sweep=$(submit --array=0-0 "$SCRIPTS/array.sbatch" long.yaml "$WORK/long") || fail "sbatch"
  wait_for "its run" compgen -G "$WORK/long/runs/*/claim" >/dev/null
  scancel "$sweep"
  wait_for "its end" has_ended "${sweep}_0"
  [ "$(state "${sweep}_0")" = CANCELLED ] || fail "it is cancelled"
  wait_for "a clean end" says "$WORK/qkvlab-${sweep}_0.log" "stopped by a signal"
  [ "$(count_finished "$WORK/long")" = 0 ] || fail "a run that was stopped is not finished"
  ! compgen -G "$WORK/long/runs/*/claim" >/dev/null || fail "nobody claims a run that was stopped"
}

# Slurm keeps no time limit below a minute: its warning is sent by hand, to the script alone as B: says.
out_of_time() {
  local sweep
  say "the time is nearly up: the task puts itself back"
  sweep=$(submit --array=0-0 "$SCRIPTS/array.sbatch" sweep.yaml "$WORK/time-%a") || fail "sbatch"
  wait_for "a finished run" finished_more "$WORK/time-0" 0
  scancel --batch --signal=USR1 "${sweep}_0" || fail "scancel --signal"
  wait_for "its return" says "$WORK/qkvlab-${sweep}_0.log" "goes back into the queue"
  wait_for "its second start" says "$WORK/qkvlab-${sweep}_0.log" "restarted 1 times"
  wait_for "its end" has_ended "${sweep}_0"
  expect_all_runs "$WORK/time-0"
}

PROGRAM=$(realpath "${1:-$REPOSITORY/build/qkvlab}")
[ -x "$PROGRAM" ] || die "no program at $PROGRAM; build it first"
[ "$(id -u)" -eq 0 ] || skip "a Slurm of one's own needs root"
command -v apt-get >/dev/null || skip "no Debian packages here"
[ ! -e /etc/slurm/slurm.conf ] || skip "this machine has a Slurm of its own"
# Their services are not started: in runlevel 1 invoke-rc.d starts nothing.
RUNLEVEL=1 install_debian slurm-wlm munge || skip "slurm-wlm and munge could not be installed"

WORK=$(mktemp -d)
trap stop_cluster EXIT
trap 'exit 130' INT TERM
start_cluster
say "Slurm $(sbatch --version | sed 's/.* //') runs"
cd "$WORK" || exit 1
cat >sweep.yaml <<TEXT
task: [copy, reverse]
variant: [qkv, qk]
n_embd: 32
n_train: 19200
n_test: 64
n_probe: 8
epochs: 1
attention: none
seeds: 0-2
TEXT
printf 'n_embd: 32\nn_test: 64\nepochs: 100000\n' >long.yaml
"$PROGRAM" run sweep.yaml --out expected --jobs 2 --quiet >/dev/null || fail "the sweep without Slurm"
export QKVLAB="$PROGRAM"
cancelled
sent_back_and_killed
out_of_time
say "passed"
