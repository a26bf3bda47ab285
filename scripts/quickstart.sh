#!/usr/bin/env bash
# From a fresh clone to a report: installs what is missing, builds into build/, runs `qkvlab quick`
# with the arguments of this script. Safe to repeat: what is done is skipped.
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

say "packages"
install_packages
say "building into $REPOSITORY/build"
build build
say "qkvlab quick $*"
exec "$REPOSITORY/build/qkvlab" quick "$@"
