#!/usr/bin/env bash
# Downloads data sets from their authors' addresses to where qkvlab looks for them.
#
#   scripts/fetch_data.sh mnist cifar10          into ~/.cache/qkvlab/data
#   scripts/fetch_data.sh --dir data all         into another folder, for --data
#
# An interrupted download goes on where it stopped. A file takes its final name only when its
# contents are the published ones; the hashes are those in datasets/*.c.
set -euo pipefail

HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
NAMES=(mnist fashion_mnist cifar10 cifar100 tinyimagenet)
DIR=${XDG_CACHE_HOME:-$HOME/.cache}/qkvlab/data
BASE_URL=

usage() {
  cat <<EOF
Usage: scripts/fetch_data.sh [--dir DIR] [--base-url URL] NAME...

NAME is one of ${NAMES[*]}, or all.
  --dir DIR        where to put them (default $DIR)
  --base-url URL   a mirror: take URL/NAME/FILE instead of the authors' addresses
EOF
}

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "fetch_data.sh: $*"
  exit 1
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum | cut -d ' ' -f 1
  else
    shasum -a 256 | cut -d ' ' -f 1
  fi
}

# published NAME: lines "file sha256" of the files whose hash is known.
published() {
  tr -d '\n' <"$HERE/../datasets/$1.c" |
    grep -oE '\{"[^"]+", *[0-9]+, *"[0-9a-f]{64}"' | sed -E 's/\{"([^"]+)".*"([0-9a-f]{64})"/\1 \2/'
}

# address NAME FILE: where the authors keep it.
address() {
  if [ -n "$BASE_URL" ]; then
    echo "${BASE_URL%/}/$1/$2"
    return
  fi
  case $1 in
  mnist) echo "https://ossci-datasets.s3.amazonaws.com/mnist/$2" ;;
  fashion_mnist) echo "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/$2" ;;
  cifar10 | cifar100) echo "https://www.cs.toronto.edu/~kriz/$2" ;;
  tinyimagenet) echo "http://cs231n.stanford.edu/$2" ;;
  esac
}

# ---- download ---------------------------------------------------------------------------------------

download_once() {
  if command -v curl >/dev/null; then
    local quiet=(--progress-bar)
    [ -t 2 ] || quiet=(--silent --show-error)
    curl --fail --location --retry 3 --connect-timeout 30 --continue-at - "${quiet[@]}" \
      --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --continue --tries 3 --quiet --output-document "$2" "$1"
  else
    die "needs curl or wget"
  fi
}

# download URL PART: leaves the file in PART; what was there is continued. A server that cannot continue
# (curl's 33, 36), or has nothing to add (22), gives the file from its beginning.
download() {
  local attempt code
  say "downloading $1"
  for attempt in 1 2 3 4; do
    code=0
    download_once "$1" "$2" || code=$?
    case $code in
    0)
      rm -f "$2.old"
      return
      ;;
    22 | 33 | 36)
      [ -s "$2" ] || break
      mv "$2" "$2.old"
      ;;
    esac
    [ "$attempt" -eq 4 ] || sleep "$((attempt - 1))"
  done
  if [ -s "$2.old" ] && [ ! -s "$2" ]; then
    mv "$2.old" "$2"
  fi
  die "$1 could not be downloaded; the same command goes on where this one stopped"
}

# ---- MNIST and Fashion-MNIST: four packed files ---------------------------------------------------------

packed_is() {
  [ "$(gzip -dc "$1" 2>/dev/null | sha256)" = "$2" ]
}

fetch_idx() {
  local name=$1 folder=$DIR/$2 file hash
  mkdir -p "$folder"
  while read -r file hash; do
    local packed=$folder/$file.gz
    if [ -e "$packed" ] && packed_is "$packed" "$hash"; then
      say "$packed is there"
      continue
    fi
    download "$(address "$name" "$file.gz")" "$packed.part"
    if ! packed_is "$packed.part" "$hash"; then
      rm -f "$packed.part"
      die "$(address "$name" "$file.gz") is not the published file (its contents should have SHA-256 $hash); nothing was kept of it"
    fi
    mv "$packed.part" "$packed"
  done < <(published "$name")
}

# ---- the others: one archive with one folder ----------------------------------------------------------------

# folder_is NAME FOLDER: every file with a known hash is as published.
folder_is() {
  local file hash
  while read -r file hash; do
    [ -f "$2/$file" ] && [ "$(sha256 <"$2/$file")" = "$hash" ] || return 1
  done < <(published "$1")
  [ "$1" != tinyimagenet ] || tiny_is_complete "$2"
}

count_jpegs() {
  find "$1" -name '*.JPEG' ! -name '.*' | wc -l
}

tiny_is_complete() {
  [ "$(count_jpegs "$1/train")" -eq 100000 ] && [ "$(count_jpegs "$1/val")" -eq 10000 ]
}

unpack() {
  case $1 in
  *.zip.part)
    command -v unzip >/dev/null || die "needs unzip"
    unzip -q "$1" -d "$2"
    ;;
  *) tar -xzf "$1" -C "$2" ;;
  esac
}

fetch_archive() {
  local name=$1 archive=$2 folder=$3
  if folder_is "$name" "$DIR/$folder"; then
    say "$DIR/$folder is there"
    return
  fi
  [ ! -e "$DIR/$folder" ] || die "$DIR/$folder is not as published; move it away first"
  mkdir -p "$DIR"
  local part=$DIR/$archive.part
  download "$(address "$name" "$archive")" "$part"
  UNPACKED=$(mktemp -d "$DIR/.unpack-XXXXXX")
  trap 'rm -rf "$UNPACKED"' EXIT
  if ! unpack "$part" "$UNPACKED" 2>/dev/null || ! folder_is "$name" "$UNPACKED/$folder"; then
    rm -f "$part"
    die "$(address "$name" "$archive") is not the published archive; nothing was kept of it"
  fi
  mv "$UNPACKED/$folder" "$DIR/$folder"
  rm -rf "$UNPACKED" "$part"
}

fetch() {
  case $1 in
  mnist) fetch_idx mnist MNIST/raw ;;
  fashion_mnist) fetch_idx fashion_mnist FashionMNIST/raw ;;
  cifar10) fetch_archive cifar10 cifar-10-binary.tar.gz cifar-10-batches-bin ;;
  cifar100) fetch_archive cifar100 cifar-100-binary.tar.gz cifar-100-binary ;;
  tinyimagenet) fetch_archive tinyimagenet tiny-imagenet-200.zip tiny-imagenet-200 ;;
  esac
  say "$1 is complete in $DIR"
}

wanted=()
while [ $# -gt 0 ]; do
  case $1 in
  --dir | --base-url)
    [ $# -ge 2 ] || die "$1 needs a value"
    if [ "$1" = --dir ]; then DIR=$2; else BASE_URL=$2; fi
    shift
    ;;
  --help | -h)
    usage
    exit 0
    ;;
  all) wanted+=("${NAMES[@]}") ;;
  *)
    [[ " ${NAMES[*]} " == *" $1 "* ]] || die "unknown data set '$1': there are ${NAMES[*]} and all"
    wanted+=("$1")
    ;;
  esac
  shift
done
if [ ${#wanted[@]} -eq 0 ]; then
  usage >&2
  exit 2
fi
for name in "${wanted[@]}"; do
  fetch "$name"
done
