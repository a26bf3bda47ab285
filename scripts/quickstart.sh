#!/usr/bin/env bash
# From a fresh clone to a report: installs what is missing, builds into build/, runs `qkvlab quick`
# with the arguments of this script. Safe to repeat: what is done is skipped.
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# Fashion-MNIST is a package of Debian and Ubuntu; no other system is known to have it.
install_images() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
    (install_debian dataset-fashion-mnist)
}

say "packages"
install_packages
say "images"
install_images ||
  say "no package dataset-fashion-mnist here: quick draws images of its own, if no others are found"
say "building into $REPOSITORY/build"
build build
say "qkvlab quick $*"
exec "$REPOSITORY/build/qkvlab" quick "$@"
