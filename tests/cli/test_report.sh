#!/usr/bin/env bash
# quick, report and attention on a small grid.
. "$(dirname "$0")/common.sh"

run quick "${TINY[@]}" --set task=copy,reverse --set variant=qkv,qk --seeds 0,1 --out a
expect_status 0
expect_out "Mean token accuracy over 2 seeds"
expect_out "Report: a/report/report.md"
grep -qE '^variant +copy +reverse$' "$OUT" || fail "variants down and tasks across"
grep -qE '^Q=K +[01]\.[0-9]{3} +[01]\.[0-9]{3}$' "$OUT" || fail "a row of accuracies"
for file in report.md report.html runs.csv cells.csv report.json; do
  [ -s a/report/$file ] || fail "a/report/$file is there"
done
cp a/report/report.md before.md

run report a
expect_status 0
[ "$(cat "$OUT")" = a/report/report.md ] || fail "prints the path of the report"
cmp -s a/report/report.md before.md || fail "the same runs give the same report"
run report a --quiet
expect_no_err

# What is wrong with the runs is said, and the rest is reported.
cp -r a c
rm -r c/runs/copy-qk-s0-*/attention c/runs/copy-qk-s1-*/curve.csv c/runs/copy-qkv-s0-*
sed -i 's/^    "loss": [0-9.]*/    "loss": "abc"/' c/runs/reverse-qk-s0-*/run.json
run report c
expect_status 0
expect_err "6 runs in the tables, 1 left out (the report says why); 1 of 8 planned runs missing"
expect_err "; 1 lost attention maps; 1 without a curve"
grep -q '^- 1 of 8 planned runs is missing; qkvlab status names it\.$' c/report/report.md || fail "missing runs are told"
[ "$(grep -n '^- 1 run has no curve' c/report/report.md | cut -d: -f1)" -lt 20 ] || fail "curves are told first"
grep -q '^reverse-qk-s0-[0-9a-f]*,' c/report/runs.csv && fail "an unreadable run is in no table"

run attention a --format csv
expect_status 0
expect_out "id,head,needed,diagonal,asymmetry_product,asymmetry_scores"
expect_err "pictures written beside the maps"
folder=$(ls -d a/runs/copy-qk-s0-*)
run attention "$folder"
expect_status 0
grep -qE "^$(basename "$folder") +mean " "$OUT" || fail "the mean over the heads"

run attention a/runs/copy-* --format csv
expect_status 0
[ "$(grep -c ',mean,' "$OUT")" -eq "$(ls -d a/runs/copy-* | wc -l)" ] || fail "several runs"
run attention "$folder" nowhere
expect_status 3
expect_out "$(basename "$folder")"
expect_err "nor is it a run"

# All three say the same way how to make runs first.
for command in report attention status; do
  run $command nowhere
  expect_error 3 "nowhere: no runs are kept there"
  expect_err "train some with qkvlab run --out nowhere"
done
