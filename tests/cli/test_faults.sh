#!/usr/bin/env bash
# Every planted fault is caught by the project's own baseline, in the tier that holds on any machine. Only in builds
# with -DQKVLAB_FAULTS=ON.
. "$(dirname "$0")/common.sh"

case $0 in /*) here=$(dirname "$0") ;; *) here=$OLDPWD/$(dirname "$0") ;; esac
baseline=$here/../baseline/guard.json
run check --help
grep -qF -- --fault "$OUT" || skip "this build has no planted faults"

run check "$baseline" --seeds 0 --tier paired --fault none
expect_status 0
run check "$baseline" --fault all
expect_status 2
faults=$(sed 's/.*there are none, //; s/[,)]//g' "$ERR")
[ "$(echo "$faults" | wc -w)" -eq 10 ] || fail "ten faults"
for fault in $faults; do
  run check "$baseline" --seeds 0 --tier paired --fault "$fault"
  expect_status 1
  expect_out "DIFFERENT: "
done
