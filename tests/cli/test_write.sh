#!/usr/bin/env bash
# What cannot be written: exit status 4, and the sentence says what and why.
. "$(dirname "$0")/common.sh"

echo text >file
run run "${TINY[@]}" --out file
expect_error 4 "file"
run run "${TINY[@]}" --out file/below
expect_error 4 "file"

if [ "$(id -u)" -ne 0 ]; then
  mkdir closed && chmod 555 closed
  run run "${TINY[@]}" --out closed
  expect_status 4
  expect_no_out
  expect_err "closed/"
  expect_err "Permission denied"

  # A finished grid needs nothing to write; numbers of attention need no pictures.
  run run "${TINY[@]}" --out done
  expect_status 0
  find done -name '*.png' -delete
  chmod -R a-w done
  run run "${TINY[@]}" --out done
  expect_status 0
  expect_out "reverse-qkv-s0-"
  expect_err "1 already done, skipped"
  run attention done
  expect_status 4
  expect_out "mean"
  expect_err "0 pictures written"
  expect_err "Permission denied"
  chmod -R u+w done
else
  echo "not checked: root may write into a read-only folder"
fi

# A file size limit stands for a full disk: writes fail in the same place.
COMMAND="qkvlab run (no file above 1 KiB)"
(ulimit -f 1 && "$QKVLAB" run "${SMALL[@]}" --set epochs=50 --out small) >"$OUT" 2>"$ERR" </dev/null
STATUS=$?
expect_status 4
expect_err "cannot write"
expect_err "1 run: 1 failed"
[ "$(grep -c "cannot write" "$ERR")" -eq 1 ] || fail "it is said once"
[ -z "$(find small -name '*.tmp*')" ] || fail "no temporary file is left"
[ -z "$(ls small/runs | grep -v partial)" ] || fail "a run that could not be written is not there"
run status small
expect_out "of 1 planned: 1 failed"
expect_out "cannot write"
run run "${SMALL[@]}" --set epochs=50 --out small
expect_status 0
expect_err "1 trained"
run status small
expect_out "1 ok"

# A disk that becomes full stops the sweep, alone and with --jobs. Curves of 8 epochs do not fit below
# the limit, those of one do.
MIXED=("${SMALL[@]}" --set batch_size=8 --set attention=none --set epochs=1,8 --seeds 0-2)
for jobs in 1 2; do
  COMMAND="qkvlab run --jobs $jobs (no file above 7 KiB)"
  (ulimit -f 7 && "$QKVLAB" run "${MIXED[@]}" --out full$jobs --jobs $jobs) >"$OUT" 2>"$ERR" </dev/null
  STATUS=$?
  expect_status 4
  expect_no_out
  expect_err "the sweep has stopped, with 3 of 6 runs done and kept, and the same command goes on"
  expect_err "not made"
  # How many failed depends on who was at work; the last was never tried by one process alone.
  run status full$jobs --format csv
  [ "$(grep -c ',ok,' "$OUT")" -eq 3 ] || fail "what is done stays done"
  [ "$(grep -c ',failed,.*cannot write' "$OUT")" -ge 1 ] || fail "a run failed, and says why"
  [ $jobs -eq 2 ] || [ "$(grep -c ',missing,' "$OUT")" -eq 2 ] || fail "the others were not tried"
  expect_err "of 6 planned: 3 ok, "
  run run "${MIXED[@]}" --out full$jobs --jobs $jobs
  expect_status 0
  expect_err "6 runs: 3 trained, 3 already done, skipped"
  run status full$jobs
  expect_out "of 6 planned: 6 ok"
done

# A real one, where something may be mounted.
mkdir disk
if mount -t tmpfs -o size=160k none disk 2>/dev/null; then
  trap 'umount "$WORK/disk" 2>/dev/null; rm -rf "$WORK"' EXIT
  run run "${TINY[@]}" --seeds 0-9 --out disk
  expect_status 4
  [ "$(grep -c "No space left on device" "$ERR")" -eq 1 ] || fail "one sentence"
  expect_err "the sweep has stopped, with "
  run status disk
  expect_out "1 failed"
  expect_out "missing"
  mount -o remount,size=16m disk
  run run "${TINY[@]}" --seeds 0-9 --out disk
  expect_status 0
  run status disk
  expect_out "of 10 planned: 10 ok"
  umount disk
else
  echo "not checked with a full disk: nothing may be mounted here"
fi

# A damaged run is set aside and made again; what failed says why; other people's files are no runs.
run run "${TINY[@]}" --out damaged
expect_status 0
id=$(ls damaged/runs)
echo '{"format": "qkv' >"damaged/runs/$id/run.json"
mkdir damaged/runs/.git damaged/runs/$'bad\xff'
touch damaged/runs/notes.txt
run status damaged --format json
expect_status 0
expect_out "unreadable"
expect_out "not valid JSON"
run run "${TINY[@]}" --out damaged
expect_status 0
expect_err "set aside as $id.damaged-1 and trained again"
run status damaged
expect_out "of 1 planned: 1 ok; not planned: 2 unreadable"
