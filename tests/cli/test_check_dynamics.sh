#!/usr/bin/env bash
# baseline and check: the three tiers, what they print and how they end.
. "$(dirname "$0")/common.sh"

MODEL=(--set task=reverse --set variant=kv --set n_embd=16 --set n_layer=1 --set n_head=2 --set seq_len=6
  --set n_position=8 --set n_train=320 --set n_test=64 --set n_probe=4 --set batch_size=32 --set lr=0.01 --set epochs=2)

run baseline record "${MODEL[@]}" --seeds 0-5 -o b.json
expect_status 0
expect_no_out
expect_err "b.json: 6 runs of 1 configuration"
python3 -c 'import json; b = json.load(open("b.json")); assert b["format"] == "qkvlab-baseline-1"; \
  assert len(b["parts"][0]["runs"]) == 6 and len(b["parts"][0]["runs"][0]["loss"]) == 20' 2>"$ERR" || fail "readable JSON"

# exact: the same build on the same machine, at any number of threads.
run check b.json --threads 1
expect_status 0
expect_no_err
[ "$(head -n 1 "$OUT")" = "No difference: every bit agrees" ] || fail "the finding first"
expect_out "Tier exact: same seeds, engine version, machine class"
run check b.json --seeds 3,4 --format json
expect_status 0
expect_out '"passed": true,'
expect_out '"n_run": 2,'
run check b.json --set lr=0.011
expect_status 1
expect_no_err
grep -q '^DIFFERENT: reverse-kv: after 1 step: the weights differ first in ' "$OUT" || fail "step and tensor"
run check b.json --set dropout=0.1 --junit check.xml --png check.png
expect_status 1
expect_out "DIFFERENT: reverse-kv: from step 0: the gradient differs first in "
python3 - 2>"$ERR" <<'PYTHON' || fail "JUnit XML"
import xml.etree.ElementTree as tree
suite = tree.parse("check.xml").getroot()[0]
assert suite.get("failures") == "1" and "step 0" in suite[0][0].get("message")
PYTHON
[ "$(head -c 4 check.png | tail -c 3)" = PNG ] || fail "a picture"

# paired: another order of adding is rounding, another number is not.
run check b.json --tier paired --set micro_batch=1
expect_status 0
[ "$(head -n 1 "$OUT")" = "No difference: what differs is rounding" ] || fail "rounding is no difference"
run check b.json --set micro_batch=1 --tier exact
expect_status 1
run check b.json --tier paired --set epsilon=1e-5
expect_status 1
expect_out "where rounding explains"

# band: other seeds.
run check b.json --tier band --png band.png
expect_status 0
expect_out "6 runs of 1 configuration beside 6 old seeds, p = "
run check b.json --tier band --set lr=0.0001 --format json
expect_status 1
expect_out '"tier": "band",'
expect_out 'loss higher'
run check b.json --tier band --seeds 10,11 --set epochs=1000000
expect_error 2 "--seeds: too few seeds"

# A training that diverges is a finding, and a baseline of such ones is written, but not unseen.
run baseline record "${MODEL[@]:0:22}" --set epochs=2 --set lr=1e9 --seeds 0-5 -o diverged.json
expect_status 1
expect_err "diverged.json is recorded, but 6 of its 6 runs diverged"
for tier in exact paired band; do
  run check diverged.json --tier $tier
  expect_status 0
  run check diverged.json --tier $tier --set lr=0.01
  expect_status 1
done
for tier in exact paired band; do
  run check b.json --tier $tier --set lr=1e6
  expect_status 1
  grep -q diverged "$OUT" || [ $tier = exact ] || fail "says that it diverged"
done

# Baselines against each other, and without tolerances.
run baseline record "${MODEL[@]}" --seeds 10-15 --no-paired --quiet -o other.json
expect_no_err
run check b.json --with other.json
expect_status 0
expect_out "Tier band: the seeds are not those of the baseline"
run check other.json --tier paired
expect_error 3 "no tolerances"

# --update records anew, and the next check passes.
cp other.json mine.json
run check mine.json --set lr=0.02 --update
expect_status 1
expect_err "mine.json: recorded anew"
run check mine.json
expect_status 0

# Curves of another program.
mkdir -p good/sub bad
for seed in 0 1 2 3 4 5 6 7 8 9; do
  awk -v s=$seed 'BEGIN { srand(s + 1); print "step,loss"
    for (i = 0; i < 50; i++) print i "," 2.3 * exp(-i / 20) * (1 + 0.05 * rand()) }' >good/sub/seed_$seed.csv
done
run baseline record --curves good -o curves.json
expect_status 0
mkdir new && mv good/sub/seed_[5-9].csv new/
run baseline record --curves good --quiet -o curves.json
run check curves.json --curves new
expect_status 0
expect_out "Tier band: the curves are another program's"
cp new/seed_7.csv seed_7.csv
for value in nan inf -inf 1e300 ''; do
  sed "s/^40,.*/40,$value/" seed_7.csv >new/seed_7.csv
  run check curves.json --curves new --png curves.png
  expect_status 1
  grep -qE '^DIFFERENT: sub: seed 7 diverged at step 40 \(loss (nan|inf|-inf|1e\+300)\), 1 of 5 runs in all; no old run did$' \
    "$OUT" || fail "seed, step and loss"
  grep -qE '^  also|1e\+06' "$OUT" && fail "one divergence is one finding"
done
head -n 31 seed_7.csv >new/seed_7.csv
run check curves.json --curves new
expect_status 1
expect_out "ended: seed 7 at step 29, 1 of 5 runs in all; those of the baseline go on to step 49"
cp seed_7.csv new/seed_7.csv
run check curves.json --curves new --tier exact
expect_error 3 "a seed in common"
run check curves.json
expect_error 3 "was trained by another program"
mkdir several && cp -r new several/a && cp -r new several/b
run baseline record --curves several --quiet -o several.json
run check several.json --curves new
expect_error 3 "new is no part of the baseline; its parts are a, b: name folders of curves like these"
mkdir part && cp -r new part/a
run check several.json --curves part --junit part.xml
expect_status 0
[ "$(head -n 1 "$OUT")" = "No difference in 1 of 2 parts; b was not compared" ] || fail "parts without curves"
grep -q 'failures="0" errors="0" skipped="1"' part.xml || fail "one skipped"
grep -q 'name="b"><skipped message="not compared: ' part.xml || fail "which one was skipped"
mkdir uneven && cp -r new uneven/a && cp -r new uneven/b && cp new/seed_5.csv uneven/b/seed_77.csv
run check several.json --curves uneven
expect_status 0
expect_out "Note: b: 1 run left out, of seeds that another part has not."
run check several.json --curves part --format json
expect_status 0
expect_out '"not_compared": ['
run baseline record --curves part --quiet -o part.json
run check part.json --with several.json
expect_status 0
cp -r new part/c
run check several.json --curves part
expect_error 3 "c is no part of the baseline"
mv several/a several/loss-ab && run baseline record --curves several --quiet -o several.json
mv several/loss-ab several/loss-abc
run check several.json --curves several
expect_error 3 "loss-abc is no part of the baseline (did you mean loss-ab?); its parts are b, loss-ab"
printf 'step,loss\n1,2\n1,2\n' >bad/a.csv
run check curves.json --curves bad
expect_error 3 "bad/a.csv:3: step 1 does not come after step 1"

# Wrong usage, bad files.
run baseline record "${MODEL[@]}"
expect_error 2 "needs --output FILE"
run baseline recrod -o x.json
expect_error 2 "did you mean 'record'"
echo 'task: copy' >mine.yaml
run baseline mine.yaml -o x.json
expect_error 2 "unknown action 'mine.yaml': did you mean \`qkvlab baseline record mine.yaml\`?"
run baseline guard -o x.json
expect_error 2 "did you mean \`qkvlab baseline record guard\`?"
run baseline zzz -o x.json
expect_error 2 "unknown action 'zzz' (there is only record)"

# Too few seeds for the band tier: said when they are recorded, refused before anything is trained.
run baseline record "${MODEL[@]}" --seeds 0-3 --no-paired -o few.json
expect_status 0
expect_err "warning: 4 seeds: \`check --tier band\` and \`check --curves\` need 5 new seeds beside so few"
run check few.json --tier band
expect_error 3 "too few seeds: 4 new ones beside the baseline's 4 cannot differ"
run check few.json --tier band --seeds 10-14
expect_status 0
# Half a day of training, had the output not been tried first.
LONG=("${MODEL[@]}" --set epochs=1000000)
mkdir -p folder
for target in nowhere/x.json folder; do
  run baseline record "${LONG[@]}" -o $target
  expect_error 4 "cannot write $target"
  for option in --png --junit; do
    run check b.json --set epochs=1000000 $option $target
    expect_error 4 "cannot write $target"
  done
done
ls | grep -q '\.tmp\.' && fail "trying an output leaves nothing behind"
run check nowhere.json
expect_error 3 "nowhere.json"
run check b.json --tier exactly
expect_error 2 "did you mean 'exact'"
run check b.json --set learing_rate=1
expect_error 2 "did you mean 'learning_rate'"
run check b.json --format csv
expect_error 2 "check prints text or json"
head -c 3000 b.json >cut.json
run check cut.json
expect_error 3 "not valid JSON"
