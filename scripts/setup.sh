# Sourced by quickstart.sh and test.sh: what the program needs to be built, and how it is built.
# shellcheck shell=bash

REPOSITORY="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

PACKAGES=(build-essential cmake pkg-config libopenblas-serial-dev zlib1g-dev
  libjpeg-dev libjansson-dev libmd-dev libcairo2-dev libyaml-dev fonts-dejavu-core check)
LIBRARIES=(zlib libjpeg jansson libmd cairo fontconfig yaml-0.1 check) # as pkg-config calls them

say() {
  printf '== %s\n' "$*"
}

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root to install packages, and there is no sudo; run as root: $*"
  fi
}

package_is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_debian() {
  local missing=() package
  for package in "$@"; do
    package_is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "every package that is needed is installed"
    return
  fi
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
}

# For systems whose packages have names unknown here; OpenBLAS and OpenMP are left to CMake.
can_build() {
  command -v cc >/dev/null && command -v cmake >/dev/null && command -v pkg-config >/dev/null &&
    pkg-config --exists "${LIBRARIES[@]}"
}

# Systems this was never tried on get the line to type, not a guess executed as root.
stop_with_line() {
  say "this system's packages (untried):"
  printf '  %s\n' "$1"
  die "install them, then start this again, or: cmake -S . -B build && cmake --build build -j"
}

# install_packages [MORE...]: the packages above and those named, where they are missing.
install_packages() {
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_debian "${PACKAGES[@]}" "$@"
  elif can_build; then
    say "what is needed to build is there"
  elif command -v dnf >/dev/null; then
    stop_with_line "sudo dnf install gcc make cmake pkgconf openblas-devel zlib-devel libjpeg-turbo-devel jansson-devel libmd-devel cairo-devel libyaml-devel dejavu-sans-fonts check-devel"
  elif command -v pacman >/dev/null; then
    stop_with_line "sudo pacman -S --needed base-devel cmake pkgconf openblas zlib libjpeg-turbo jansson libmd cairo libyaml ttf-dejavu check"
  elif command -v brew >/dev/null; then
    stop_with_line "brew install gcc cmake pkg-config openblas jpeg-turbo jansson libmd cairo libyaml font-dejavu check libomp"
  else
    die "found none of apt-get, dnf, pacman and brew; the README lists what is needed"
  fi
}

processors() {
  getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# build FOLDER [CMAKE OPTION...]: configures and builds into a folder of the repository.
build() {
  local folder="$REPOSITORY/$1"
  shift
  cmake -S "$REPOSITORY" -B "$folder" "$@" </dev/null
  cmake --build "$folder" -j "$(processors)" </dev/null
}
