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
  expect_err "closed/runs"
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
[ -z "$(find small -name '*.tmp*')" ] || fail "no temporary file is left"
[ -z "$(ls small/runs | grep -v partial)" ] || fail "a run that could not be written is not there"
run status small
expect_err "1 failed"
expect_out "cannot write"
run run "${SMALL[@]}" --set epochs=50 --out small
expect_status 0
expect_err "1 trained"
run status small
expect_err "1 ok"

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
expect_err "1 ok, 2 unreadable"
