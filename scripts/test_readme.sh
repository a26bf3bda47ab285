#!/usr/bin/env bash
# Runs the commands of README.md and of the topics that `qkvlab help` prints, so that none of them can go
# stale: every ```sh block, a file's in order and in one shell, in a copy of the repository. A block after
# <!-- not tested --> is left out.
#
#   scripts/test_readme.sh [PROGRAM]      PROGRAM: a built qkvlab that becomes the copy's build/qkvlab
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

PROGRAM=$(realpath "${1:-$REPOSITORY/build/qkvlab}")
[ -x "$PROGRAM" ] || die "no program at $PROGRAM; build it first: scripts/quickstart.sh --dry-run"

COPY=$(mktemp -d)
trap 'rm -rf "$COPY"' EXIT
# What git knows of, and what is new and not ignored.
git -C "$REPOSITORY" ls-files -z --cached --others --exclude-standard |
  (cd "$REPOSITORY" && tar --null -T - -cf - --ignore-failed-read 2>/dev/null) | tar -xf - -C "$COPY"
mkdir -p "$COPY/build"
cp "$PROGRAM" "$COPY/build/qkvlab"
cd "$COPY"
export PATH=$COPY/build:$PATH # topics say qkvlab, the README build/qkvlab

N_BLOCK=0
for text in README.md src/cli/topics/*.md; do
  # The commands, each block announced.
  awk -v text="$text" '
    /<!-- not tested -->/ { leave_out = 1; next }
    /^```sh$/ { if (!leave_out) { inside = 1; n++; print "echo \"== " text ", block " n " (line " NR ")\"" } leave_out = 0; next }
    /^```/ { inside = 0; next }
    inside { sub(/^\$ /, ""); print }
  ' "$text" >.commands.sh
  N_BLOCK=$((N_BLOCK + $(grep -c '^echo "== ' .commands.sh || true)))
  bash -euo pipefail .commands.sh </dev/null
done
[ "$N_BLOCK" -gt 0 ] || die "there is no \`\`\`sh block to test"
say "$N_BLOCK blocks of README.md and the topics ran"
