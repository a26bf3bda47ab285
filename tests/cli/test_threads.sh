#!/usr/bin/env bash
# --threads N means N threads in the whole process, whichever OpenBLAS is loaded.
. "$(dirname "$0")/common.sh"

[ -d /proc/self/task ] || skip "no /proc/self/task to count threads in"

# most_threads THREADS [VARIABLE=VALUE...]: the largest number of threads seen in a run. Looks on for a
# while after it has seen the number that is expected.
most_threads() {
  local threads=$1 most=0 further=40 n pid
  shift
  rm -rf out
  env "$@" "$QKVLAB" run "${SMALL[@]}" --set epochs=100000 --threads "$threads" --out out \
    >"$OUT" 2>"$ERR" </dev/null &
  pid=$!
  # Before there is a run, the threads of env are seen, and those of a program about to start itself anew.
  wait_for "a run" test -d out/runs >&2
  for _ in $(seq 1000); do
    n=$(find /proc/$pid/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
    [ "$n" -gt "$most" ] && most=$n
    [ "$most" -ge "$threads" ] && further=$((further - 1))
    [ "$further" -eq 0 ] && break
    sleep 0.02
  done
  kill -TERM $pid
  wait $pid
  echo "$most"
}

[ "$(most_threads 1)" = 1 ] || fail "--threads 1 is one thread"
[ "$(most_threads 2)" = 2 ] || fail "--threads 2 is two threads"
[ "$(most_threads 1 OMP_NUM_THREADS=4)" = 1 ] || fail "--threads stands above OMP_NUM_THREADS"

library=/usr/lib/$(uname -m)-linux-gnu
for kind in pthread openmp; do
  if [ ! -e "$library/openblas-$kind/libopenblas.so.0" ]; then
    echo "not checked: the $kind build of OpenBLAS is not installed"
    continue
  fi
  path=LD_LIBRARY_PATH=$library/openblas-$kind
  if env "$path" "$QKVLAB" --version | grep -q SINGLE_THREADED; then
    echo "not checked: this program cannot be given the $kind build"
    continue
  fi
  [ "$(most_threads 1 "$path")" = 1 ] || fail "$kind: --threads 1 is one thread"
  [ "$(most_threads 1 "$path" OPENBLAS_NUM_THREADS=2)" = 1 ] ||
    fail "$kind: --threads stands above OPENBLAS_NUM_THREADS"
  [ "$(most_threads 2 "$path")" = 2 ] || fail "$kind: --threads 2 is two threads"
done
