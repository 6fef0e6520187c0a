# Shared by every program test: runs its job under glibc's malloc and under ours, and compares.
# A test is "NAME.sh PRELOAD WITNESS". It defines job(), which works in the current directory on
# fixed input only, and calls same_run. It prints one line. Exit status: 0 pass, 1 fail.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C TZ=UTC
unset LD_PRELOAD

program=$(basename "$0" .sh)
cases=$(dirname "$(realpath "$0")")/cases
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-programs.XXXXXX")
verdict='' ran=0

# Runs at every exit, so that a test that ends half-way also reports a result.
conclude() {
  local status=$?
  if [[ -z $verdict ]]; then echo "FAIL  $program: ended with status $status"; status=1; fi
  rm -rf "$scratch"
  exit "$status"
}
trap conclude EXIT

fail() {
  verdict=FAIL
  printf 'FAIL  %s: %s\n' "$program" "$*"
  exit 1
}

(($# == 2)) || fail "usage: $program.sh PRELOAD WITNESS"
# Links, because the loader splits LD_PRELOAD at spaces and colons.
mkdir "$scratch/library"
preload=$scratch/library/$(basename "$1")
witness=$scratch/witness.so
ln -s "$(realpath -m "$1")" "$preload"
ln -s "$(realpath "$2")" "$witness"

# run_under NAME LIBRARY: runs the job in its own directory and keeps its output and files.
run_under() {
  local status
  mkdir -p "$scratch/$1/files"
  # Not "( … ) || status": then the job would continue after a failing command.
  set +e
  (
    cd "$scratch/$1/files"
    export LD_PRELOAD=$witness:$2 WITNESS_FILE=$scratch/$1/witnessed
    set -e
    job
  ) >"$scratch/$1/stdout" 2>"$scratch/$1/stderr"
  status=$?
  set -e
  echo "$status" >"$scratch/$1/status"
}

# same_run PROCESS…: checks that the job behaves the same under both, and that every process, among
# them those named, used malloc of the right library.
same_run() {
  local part
  # A preloaded libc.so.6 also takes precedence over an allocator that the program is linked with.
  run_under glibc libc.so.6
  run_under preload "$preload"
  [[ $(<"$scratch/glibc/status") == 0 ]] ||
    fail "fails under glibc itself: $(tail -n 3 "$scratch/glibc/stderr")"
  [[ -s $scratch/glibc/stdout ]] || fail "the job prints nothing to compare"
  for part in status stderr stdout files; do
    diff -r "$scratch/glibc/$part" "$scratch/preload/$part" >"$scratch/difference" ||
      fail "$part differs from glibc's: $(head -c 1500 "$scratch/difference")"
  done
  malloc_from glibc '*/libc.so.6' "$@"
  malloc_from preload "$preload" "$@"
  ran=$(wc -l <"$scratch/preload/witnessed")
}

# own_run PROCESS…: runs the job under our library alone, where the other run would say something
# else. The job prints what was expected and did not happen; each such line is a failure.
own_run() {
  run_under preload "$preload"
  [[ $(<"$scratch/preload/status") == 0 && ! -s $scratch/preload/stdout ]] ||
    fail "$(cat "$scratch/preload/stdout" "$scratch/preload/stderr" | tail -n 20)"
  malloc_from preload "$preload" "$@"
  ran=$(wc -l <"$scratch/preload/witnessed")
}

# malloc_from NAME PATTERN PROCESS…: checks that every process of that run used malloc of a library
# that matches the pattern.
malloc_from() {
  local report=$scratch/$1/witnessed pattern=$2 process library
  [[ -s $report ]] || fail "no process of the $1 run reported its malloc"
  while IFS=$'\t' read -r library process; do
    # shellcheck disable=SC2053 # a pattern is meant
    [[ $library == $pattern ]] || fail "$process took its malloc from $library in the $1 run"
  done <"$report"
  for process in "${@:3}"; do
    grep -q $'\t'"$process\$" "$report" || fail "$process did not report its malloc ($1 run)"
  done
}

pass() { pass_alone "$*; same under glibc"; }

pass_alone() {
  verdict=PASS
  printf 'PASS  %s: %s; %d processes on %s; %d s\n' \
    "$program" "$*" "$ran" "$(basename "$preload")" "$SECONDS"
}
