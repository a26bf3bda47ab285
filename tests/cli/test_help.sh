#!/usr/bin/env bash
# Help begins with examples; every option of every command is in its help, in the completions of the
# three shells and in the manual page.
. "$(dirname "$0")/common.sh"

run --help
expect_status 0
expect_no_err
[ "$(head -n 1 "$OUT")" = "Examples:" ] || fail "the overview begins with examples"
commands=$(awk '/^Commands:/ {on = 1; next} /^$/ {on = 0} on {print $1}' "$OUT")
[ "$(echo "$commands" | wc -w)" -ge 11 ] || fail "the overview lists the commands"
cp "$OUT" overview
run help
cmp -s "$OUT" overview || fail "qkvlab help is qkvlab --help"

"$QKVLAB" man >page || fail "man"
for shell in bash zsh fish; do
  "$QKVLAB" completion $shell >completion.$shell || fail "completion $shell"
done
grep -q '^\.TH QKVLAB 1' page || fail "the manual page has a title"

for command in $commands; do
  run "$command" --help
  expect_status 0
  expect_no_err
  [ "$(head -n 1 "$OUT")" = "Examples:" ] || fail "help begins with examples"
  sed -n 2p "$OUT" | grep -q "qkvlab" || fail "an example is a command line"
  grep -q "^Usage: qkvlab $command " "$OUT" || fail "help has a usage line"
  for file in page completion.bash completion.zsh completion.fish; do
    grep -qw -- "$command" $file || fail "$file knows the command $command"
  done
  for option in $(grep -o '^  --[a-z-]*' "$OUT"); do
    name=${option#--}
    grep -qF -- "--$name" completion.bash || fail "bash completes $option"
    grep -qF -- "--$name" completion.zsh || fail "zsh completes $option"
    grep -qw -- "-l $name" completion.fish || fail "fish completes $option"
    grep -qF -- "\\-\\-${name//-/\\-}" page || fail "the manual page tells $option"
  done
  cp "$OUT" direct
  run help "$command"
  cmp -s "$OUT" direct || fail "help $command is $command --help"
done

for key in $("$QKVLAB" list keys --format csv | tail -n +2 | cut -d, -f1); do
  grep -qF -- "$key=" completion.bash || fail "bash completes --set $key="
  grep -qF "$key" page || fail "the manual page tells the key $key"
done

# Topics: every file is one, in the overview unless it ends a command's help, and no word of it is lost.
REPOSITORY=$(cd "$TESTS/../.." && pwd)
topics=$(basename -s .md "$REPOSITORY"/src/cli/topics/*.md)
[ "$(echo "$topics" | wc -w)" -ge 8 ] || fail "there are topics"
words() {
  tr -s ' \n' '\n\n' | tr '[:upper:]' '[:lower:]' | sed '/^$/d'
}
for topic in $topics; do
  file=$REPOSITORY/src/cli/topics/$topic.md
  run help "$topic"
  expect_status 0
  expect_no_err
  sed -E '/^<!--/d; /^```/d; s/^#+ //; s/\*\*//g; s/\[([^]]*)\]\([^)]*\)/\1/g' "$file" | words >expected
  words <"$OUT" | tail -n "$(wc -l <expected)" | cmp -s - expected || fail "help $topic prints $file"
  head -n 1 "$file" | grep -qE '^# .{5,80}$' || fail "$file begins with a short title"
  if ! echo "$commands" | grep -qx "$topic"; then
    grep -qE "^  $topic +[A-Z]" overview || fail "the overview lists $topic"
    grep -q "^\.SH ${topic^^}$" page || fail "the manual page has $topic"
    for shell in bash zsh fish; do
      grep -q "completion man.* $topic" completion.$shell || fail "$shell completes help $topic"
    done
  fi
done
for text in "$REPOSITORY"/README.md "$REPOSITORY"/src/cli/topics/*.md; do
  for link in $(grep -oE '\]\([^)]+\)' "$text" | sed 's/^](//; s/)$//' | grep -v '^http'); do
    [ -e "$(dirname "$text")/$link" ] || fail "${text##*/} links to $link"
  done
done
while read -r code meaning; do
  grep -qE "^  ${code/+/\\+} +$meaning$" overview || fail "the overview tells exit status $code"
  grep -A 1 -F "fB${code}\\fR" page | grep -qx "$meaning" || fail "the manual page tells exit status $code"
done <<'END'
0 fine
2 wrong usage or configuration
128+n stopped by signal n
END
run help statistcs
expect_error 2 "unknown command or topic 'statistcs'; did you mean 'statistics'?"

# Long examples have what they are below them, short ones beside.
run baseline --help
grep -A 1 -F "qkvlab baseline record --output learning.json" "$OUT" | grep -qx "      the preset guard, ten seeds" ||
  fail "what a long example is"
run selftest --help
grep -qE '^  qkvlab selftest  +one line a check$' "$OUT" || fail "what a short example is"
run check --help
expect_out "Does the model still learn the same way as when FILE was recorded?"
grep -qF '?.' "$OUT" && fail "a question ends there"

bash -n completion.bash || fail "bash reads its completion"
complete_word() {
  bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _qkvlab
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
[ "$(complete_word qkvlab cross)" = crosscheck ] || fail "bash completes a command"
[ "$(complete_word qkvlab list key)" = keys ] || fail "bash completes a topic"
[ "$(complete_word qkvlab help stati)" = statistics ] || fail "bash completes a topic of help"
[ "$(complete_word qkvlab run --dr)" = --dry-run ] || fail "bash completes an option"
[ "$(complete_word qkvlab run --format js)" = json ] || fail "bash completes a format"
[ "$(complete_word qkvlab run --set n_emb)" = n_embd= ] || fail "bash completes a key"
for shell in zsh fish; do
  if command -v $shell >/dev/null; then
    $shell -n completion.$shell || fail "$shell reads its completion"
  else
    echo "not checked: $shell is not installed"
  fi
done

# An option's help says what it takes in that command.
run cost --help
expect_out "Set a size of the model, to one value."
run run --help
expect_out "makes a grid"
! grep -q "1,2,4" "$OUT" || fail "only bench measures several numbers of threads"
run bench --help
expect_out "1,2,4"
