#!/usr/bin/env bash
# Programs built with a sanitizer start and end under the preload, with and without randomised
# addresses. Arguments: the preload library, sanitized.c.
set -uo pipefail
preload=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/stress/hazards/expect.sh
source "${BASH_SOURCE[0]%/*}/expect.sh"

# Only whether they run: the heap moves blocks between threads in ways that ThreadSanitizer cannot see.
export TSAN_OPTIONS=report_bugs=0 ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

runs() { [[ $("$@" env LD_PRELOAD="$preload" "$program" 2>"$work/err") == "done" ]] || { cat "$work/err"; false; }; }

built=0
for compiler in gcc clang clang-19; do
  for sanitizer in thread address memory; do
    program=$work/$compiler-$sanitizer
    "$compiler" -O1 -g -pthread -fsanitize="$sanitizer" "$source" -o "$program" 2>/dev/null || continue
    built=$((built + 1))
    expect "$compiler -fsanitize=$sanitizer" runs
    expect "$compiler -fsanitize=$sanitizer, addresses not random" runs setarch -R
    HEAPSMITH_RESERVE=64M expect "$compiler -fsanitize=$sanitizer, small ranges" runs
  done
done
if ((built == 0)); then
  echo "skipped: no compiler here has a sanitizer"
  exit 77
fi
all_held
