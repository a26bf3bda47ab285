#!/usr/bin/env bash
# Runs the commands of README.md, so that none of them can go stale: every ```sh block, in order, in
# one shell, in a copy of the repository. A block after <!-- not tested --> is left out.
#
#   scripts/test_readme.sh [PROGRAM]      PROGRAM: a built qkvlab that becomes the copy's build/qkvlab
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

PROGRAM=$(realpath "${1:-$REPOSITORY/build/qkvlab}")
[ -x "$PROGRAM" ] || die "no program at $PROGRAM; build it first: scripts/quickstart.sh --dry-run"
[ -e "$REPOSITORY/README.md" ] || die "there is no README.md"

COPY=$(mktemp -d)
trap 'rm -rf "$COPY"' EXIT
# What git knows of, and what is new and not ignored.
git -C "$REPOSITORY" ls-files -z --cached --others --exclude-standard |
  (cd "$REPOSITORY" && tar --null -T - -cf - --ignore-failed-read 2>/dev/null) | tar -xf - -C "$COPY"
mkdir -p "$COPY/build"
cp "$PROGRAM" "$COPY/build/qkvlab"

# The commands, each block announced.
awk '
  /<!-- not tested -->/ { leave_out = 1; next }
  /^```sh$/ { if (!leave_out) { inside = 1; n++; print "echo \"== README, block " n " (line " NR ")\"" } leave_out = 0; next }
  /^```/ { inside = 0; next }
  inside { sub(/^\$ /, ""); print }
' "$REPOSITORY/README.md" >"$COPY/.readme.sh"
N_BLOCK=$(grep -c '^echo "== README' "$COPY/.readme.sh" || true)
[ "$N_BLOCK" -gt 0 ] || die "README.md has no \`\`\`sh block to test"

cd "$COPY"
bash -euo pipefail .readme.sh </dev/null
say "$N_BLOCK blocks of README.md ran"
