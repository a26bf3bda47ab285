#!/usr/bin/env bash
# --threads N means N threads in the whole process, whichever OpenBLAS there is.
. "$(dirname "$0")/common.sh"

[ -d /proc/self/task ] || skip "no /proc/self/task to count threads in"

# watch THREADS: the largest number of threads seen in the process that was started last. Looks on for a while
# after it has seen the number that is expected, then stops it.
watch() {
  local threads=$1 most=0 further=40 n pid=$!
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

# most_threads THREADS [VARIABLE=VALUE...]: of a run.
most_threads() {
  local threads=$1
  shift
  rm -rf out
  env "$@" "$QKVLAB" run "${SMALL[@]}" --set epochs=100000 --threads "$threads" --out out \
    >"$OUT" 2>"$ERR" </dev/null &
  # Before there is a run, the threads of env are seen, and those of a program about to start itself anew.
  wait_for "a run" test -d out/runs >&2
  watch "$threads"
}

# bench_threads [VARIABLE=VALUE...]: of bench, which loads OpenBLAS, told to use one.
bench_threads() {
  env OMP_WAIT_POLICY=passive "$@" "$QKVLAB" bench --set n_embd=32 --threads 1 --seconds 100 >"$OUT" 2>"$ERR" </dev/null &
  watch 1
}

[ "$(most_threads 1)" = 1 ] || fail "--threads 1 is one thread"
[ "$(most_threads 2)" = 2 ] || fail "--threads 2 is two threads"
[ "$(most_threads 1 OMP_NUM_THREADS=4)" = 1 ] || fail "--threads stands above OMP_NUM_THREADS"
[ "$(bench_threads)" = 1 ] || fail "bench --threads 1 is one thread"

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
  [ "$(bench_threads "$path" OPENBLAS_NUM_THREADS=2)" = 1 ] || fail "$kind: bench --threads 1 is one thread"
done
