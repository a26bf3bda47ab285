#!/usr/bin/env bash
# Sweeps that several processes make in one folder while processes are killed at random, the disk fills up
# and the folder becomes read-only. Whatever happened, one undisturbed repetition later every cell is there
# once, with the files and the bits of a sweep that nobody disturbed, and nobody else's files are touched.
#
# QKVLAB_CHAOS_ROUNDS and QKVLAB_CHAOS_SEED: more of it, and something else. Without the first it is less of it
# on a machine that is busy with other things.
. "$(dirname "$0")/common.sh"

N_ROUND=${QKVLAB_CHAOS_ROUNDS:-24}
LIMIT=60 # seconds, after which no round begins that was not asked for
SEED=${QKVLAB_CHAOS_SEED:-17}
RANDOM=$SEED

cat >sweep.yaml <<END
task: [copy, reverse]
variant: [qkv, qk]
n_embd: 32
n_train: 768
n_test: 64
n_probe: 8
epochs: 1
seeds: 0-2
---
task: sub
n_embd: 32
n_train: 768
n_test: 64
epochs: 1
attention: none
seeds: 0-3
END
N_CELL=16

# A name below runs/ that ends like ours, one that is hidden, and plain files are somebody else's.
plant_foreign_files() {
  mkdir -p "$1/runs/copy-of-mine.partial" "$1/runs/.hidden"
  for name in notes.txt runs/notes.txt runs/copy-of-mine.partial/claim runs/.hidden/run.json; do
    echo "mine: $name" >"$1/$name"
  done
}

expect_foreign_files() {
  for name in notes.txt runs/notes.txt runs/copy-of-mine.partial/claim runs/.hidden/run.json; do
    [ "$(cat "$1/$name" 2>/dev/null)" = "mine: $name" ] || fail "$1/$name was there before ($MOMENT)"
  done
}

weights() {
  (cd "$1/runs" && grep -H '"weights_sha256"' ./*-s*/run.json)
}

# verify FOLDER: an undisturbed repetition makes the sweep what it should be.
verify() {
  local folder=$1
  run run sweep.yaml --out "$folder" --jobs 2
  [ "$STATUS" -eq 0 ] || fail "an undisturbed repetition succeeds ($MOMENT)"
  expect_foreign_files "$folder"
  run status "$folder" --format csv
  [ "$(grep -c ',ok,' "$OUT")" -eq "$N_CELL" ] || fail "every cell is there once, whole ($MOMENT)"
  weights "$folder" >found
  cmp -s expected found || fail "the weights are those of an undisturbed sweep ($MOMENT)"
  # All files, and nothing beside them: no half of a picture, no claim, no temporary file.
  # (What a killed process was writing of a picture, under a name of its own, may stay: .png.tmp.)
  diff -r -x run.json -x '*.png.tmp.*' -x notes.txt -x .hidden -x copy-of-mine.partial \
    calm/runs "$folder/runs" >"$OUT" || fail "the same files ($MOMENT)"
}

# start_programs FOLDER: some of the ways to work on a sweep, in the background.
start_programs() {
  local folder=$1 how
  for _ in $(seq $((2 + RANDOM % 2))); do
    case $((RANDOM % 4)) in
      0) how=(--threads 1) ;;
      1) how=(--shard 0/2) ;;
      2) how=(--shard 1/2 --threads 1) ;;
      3) how=(--jobs 2) ;;
    esac
    "$QKVLAB" run sweep.yaml --out "$folder" "${how[@]}" --quiet >/dev/null 2>>programs.log </dev/null &
    disown
  done
}

# Parents of --jobs and their children alike.
programs_of() {
  pgrep -f -- "--out $1 "
}

kill_one() {
  local found signal=KILL
  mapfile -t found < <(programs_of "$1")
  [ ${#found[@]} -gt 0 ] || return
  [ $((RANDOM % 4)) -gt 0 ] || signal=TERM
  kill "-$signal" "${found[RANDOM % ${#found[@]}]}" 2>/dev/null
}

kill_all() {
  local found
  while mapfile -t found < <(programs_of "$1") && [ ${#found[@]} -gt 0 ]; do
    kill -KILL "${found[@]}" 2>/dev/null
    sleep 0.01
  done
}

# pause: up to a quarter of the time of the undisturbed sweep, so that kills meet every part of it.
pause() {
  local milliseconds=$((RANDOM % LONGEST))
  sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
}

N_STARTED=0
N_FINISHED=0
is_finished() {
  [ "$(find "$1/runs" -maxdepth 1 -name '*-s*-????????????' 2>/dev/null | wc -l)" -eq "$N_CELL" ]
}

# By its whole path, so that the programs of another such test on this machine are not taken for ours.
KILLED=$WORK/killed

MOMENT="before anything"
begin=$(date +%s%N)
run run sweep.yaml --out calm --jobs 2
expect_status 0
LONGEST=$((($(date +%s%N) - begin) / 4000000 + 1))
[ $LONGEST -le 500 ] || LONGEST=500
weights calm >expected
[ "$(wc -l <expected)" -eq "$N_CELL" ] || fail "$N_CELL cells"

plant_foreign_files "$KILLED"
for round in $(seq "$N_ROUND"); do
  [ -n "${QKVLAB_CHAOS_ROUNDS:-}" ] || [ $SECONDS -lt $LIMIT ] || break
  MOMENT="seed $SEED, round $round"
  N_STARTED=$round
  start_programs "$KILLED"
  for _ in 1 2 3; do
    pause
    kill_one "$KILLED"
  done
  kill_all "$KILLED"
  expect_foreign_files "$KILLED"
  if is_finished "$KILLED"; then
    verify "$KILLED"
    rm -rf "$KILLED"
    plant_foreign_files "$KILLED"
    N_FINISHED=$((N_FINISHED + 1))
  elif [ $((RANDOM % 4)) -eq 0 ]; then
    # Kills at the very end of a run, or while pictures are drawn, are the rare ones: more ends.
    "$QKVLAB" run sweep.yaml --out "$KILLED" --quiet >/dev/null 2>>programs.log </dev/null &
    disown
    wait_for "the last cell" is_finished "$KILLED"
    kill_all "$KILLED"
  fi
done
verify "$KILLED"
echo "$N_STARTED rounds, the sweep was finished $N_FINISHED times in them"

# ---- a full disk ----

# A limit on the size of files stands for it where nothing may be mounted.
plant_foreign_files limited
MOMENT="no file above 2 KiB"
for _ in 1 2; do
  (ulimit -f 2 && "$QKVLAB" run sweep.yaml --out limited --jobs 2 >"$OUT" 2>"$ERR" </dev/null)
done
verify limited

full_disk() {
  MOMENT="a disk with $1"
  mount -t tmpfs -o "size=1m,$1" none disk || return
  plant_foreign_files disk
  for how in "--threads 1" "--jobs 2" "--shard 1/2"; do
    # shellcheck disable=SC2086
    "$QKVLAB" run sweep.yaml --out disk $how >"$OUT" 2>"$ERR" </dev/null
    STATUS=$?
    [ $STATUS -ne 0 ] || fail "not everything fits ($MOMENT)"
    expect_err "No space left on device"
  done
  mount -o remount,size=64m,nr_inodes=10000 disk
  verify disk
  umount disk
}
mkdir disk
if mount -t tmpfs none disk 2>/dev/null; then
  trap 'umount "$WORK/disk" 2>/dev/null; rm -rf "$WORK"' EXIT
  umount disk
  full_disk size=40k
  full_disk size=160k
  full_disk size=364k
  full_disk nr_inodes=23
  full_disk nr_inodes=90
else
  echo "not checked with a full disk: nothing may be mounted here"
fi

# ---- a folder that becomes read-only ----

# root may write everywhere: it becomes nobody, who needs a program it can reach.
AS_NOBODY=()
plant_foreign_files closed
if [ "$(id -u)" -eq 0 ]; then
  cp "$QKVLAB" program
  QKVLAB=$WORK/program
  chmod 755 "$WORK" program
  AS_NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${AS_NOBODY[@]}" test -x "$QKVLAB" || skip "the rest needs a folder that nobody can reach"
  chown -R 65534:65534 closed
fi
MOMENT="runs/ read-only in the middle"
has_one() {
  compgen -G 'closed/runs/*-s*-????????????' >/dev/null
}
for how in "--threads 1" "--jobs 2"; do
  # shellcheck disable=SC2086
  "${AS_NOBODY[@]}" "$QKVLAB" run sweep.yaml --out closed $how >"$OUT" 2>"$ERR" </dev/null &
  pid=$!
  wait_for "a run" has_one
  chmod a-w closed/runs
  wait $pid
  STATUS=$?
  [ $STATUS -eq 4 ] || is_finished closed || fail "what cannot be written is said ($MOMENT)"
  expect_foreign_files closed
  chmod u+w closed/runs
done
verify closed
