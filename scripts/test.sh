#!/usr/bin/env bash
# Every check of the project: format, a build without warnings, all tests, the unit tests again under
# AddressSanitizer and UndefinedBehaviorSanitizer. --full adds what takes longer. Exit status 0: all
# passed. Continues after a failure, so that one look at the end shows everything.
set -uo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

FORMAT_VERSION=14 # of clang-format; other versions lay out some lines differently
N_PASSED=0
N_FAILED=0
N_SKIPPED=0
SUMMARY=()

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--full]

  --full   also: every test under the sanitizers with the command line's, the commands of the README and the topics,
           installation into an empty folder, and that planted faults are caught
TEXT
}

# record STATE NAME SECONDS: counts one check and keeps its line for the end.
record() {
  case $1 in
    passed) N_PASSED=$((N_PASSED + 1)) ;;
    failed) N_FAILED=$((N_FAILED + 1)) ;;
    skipped) N_SKIPPED=$((N_SKIPPED + 1)) ;;
  esac
  SUMMARY+=("$(printf '%-8s %4d s  %s' "$1" "$3" "$2")")
}

# step NAME COMMAND...: one check that counts by itself; exit status 77 means that it needs what is not here.
step() {
  local name=$1 start=$SECONDS state=passed
  shift
  say "$name"
  "$@"
  case $? in
    0) ;;
    77) state=skipped ;;
    *) state=failed ;;
  esac
  record "$state" "$name" $((SECONDS - start))
  [ "$state" = passed ]
}

# ctest_step NAME FOLDER [CTEST OPTION...]: every test of the folder counts.
ctest_step() {
  local name=$1 folder=$2 start=$SECONDS log state
  shift 2
  say "$name"
  log=$(mktemp)
  ctest --test-dir "$REPOSITORY/$folder" --output-on-failure "$@" </dev/null | tee "$log"
  N_PASSED=$((N_PASSED + $(grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' "$log")))
  N_SKIPPED=$((N_SKIPPED + $(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Skipped|Not Run)' "$log")))
  N_FAILED=$((N_FAILED + $(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Timeout|Exception)' "$log")))
  state=passed
  grep -qE '^100% tests passed' "$log" || state=failed
  if [ "$state" = failed ] && ! grep -qE '\*\*\*' "$log"; then
    N_FAILED=$((N_FAILED + 1)) # ctest itself did not run
  fi
  SUMMARY+=("$(printf '%-8s %4d s  %s' "$state" $((SECONDS - start)) "$name")")
  rm -f "$log"
}

check_format() {
  local tool=clang-format version start=$SECONDS
  command -v clang-format-$FORMAT_VERSION >/dev/null && tool=clang-format-$FORMAT_VERSION
  version=$($tool --version 2>/dev/null | sed -E 's/.*version ([0-9]+).*/\1/')
  if [ "$version" != $FORMAT_VERSION ]; then
    say "format: skipped, needs clang-format $FORMAT_VERSION, found ${version:-none}"
    record skipped format $((SECONDS - start))
    return
  fi
  step format bash -c "find src tasks datasets tests -name '*.[ch]' -print0 | xargs -0 $tool --dry-run --Werror"
}

# A browser opens report.html in the tests; where none can be installed, that test is skipped.
install_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && return
  done
  if grep -qs '^ID=debian' /etc/os-release; then
    (install_debian chromium) || say "no browser could be installed: the test of report.html is skipped"
  fi
  return 0
}

install_and_try() {
  local root="$REPOSITORY/build/installed"
  rm -rf "$root"
  cmake --install "$REPOSITORY/build" --prefix "$root" >/dev/null &&
    "$root/bin/qkvlab" --version &&
    [ -s "$root/share/man/man1/qkvlab.1" ] &&
    [ -s "$root/share/bash-completion/completions/qkvlab" ] &&
    [ -s "$root/share/zsh/site-functions/_qkvlab" ] &&
    [ -s "$root/share/fish/vendor_completions.d/qkvlab.fish" ]
}

print_summary() {
  say "what took how long"
  printf '%s\n' "${SUMMARY[@]}"
  printf '%d passed, %d failed, %d skipped\n' "$N_PASSED" "$N_FAILED" "$N_SKIPPED"
}

FULL=no
case ${1:-} in
  '') ;;
  --full) FULL=yes ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac

cd "$REPOSITORY" || exit 1
SANITIZER_TESTS=(-LE cli)
[ "$FULL" = yes ] && SANITIZER_TESTS=()

step packages install_packages clang-format || {
  print_summary
  exit 1
}
install_browser
check_format
if step "build (warnings are errors)" build build -DQKVLAB_WERROR=ON; then
  ctest_step "tests" build
  step "install" install_and_try
  if [ "$FULL" = yes ]; then
    step "commands of the README and the topics" bash scripts/test_readme.sh build/qkvlab
    step "false verdicts, 4,000 draws" bash -c 'cd tests && QKVLAB_DRAWS=4000 ../build/tests/test_false_verdicts'
    step "killed sweeps, 200 rounds" env QKVLAB=build/qkvlab QKVLAB_CHAOS_ROUNDS=200 \
      QKVLAB_CHAOS_SEED=$((RANDOM + 1)) bash tests/cli/test_chaos.sh
    step "Slurm" bash scripts/slurm/test_real.sh build/qkvlab
  fi
fi
# Not with warnings as errors: instrumented code makes gcc see uninitialised variables where none are.
if step "build with sanitizers" build build-asan -DQKVLAB_WERROR=OFF -DQKVLAB_SANITIZE=ON \
  -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-g -O1"; then
  ctest_step "tests with sanitizers" build-asan "${SANITIZER_TESTS[@]}"
fi

if [ "$FULL" = yes ] && step "build with planted faults" build build-faults -DQKVLAB_FAULTS=ON; then
  ctest_step "planted faults are caught" build-faults -R 'cli/test_faults|cli/test_check_dynamics'
fi

print_summary
[ "$N_FAILED" -eq 0 ]
