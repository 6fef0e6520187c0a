#!/usr/bin/env bash
# Programs with an allocator of their own, under the preload: each function does what it does
# without it, and the program's malloc sees the same blocks. own_allocators.sh CC LIBRARY…
set -euo pipefail
cc=$1
shift
unset LD_PRELOAD
sources=$(dirname "$(realpath "$0")")/own
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-own.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0 programs=0

# compare PROGRAM LIBRARY
compare() {
  local status=0
  LD_PRELOAD=$2 "$1" >"$scratch/under" 2>"$scratch/said" || status=$?
  if ((status != 0)) || ! cmp -s "$scratch/plain" "$scratch/under"; then
    failures=$((failures + 1))
    echo "FAIL  ${1##*/} under ${2##*/}: status $status"
    diff "$scratch/plain" "$scratch/under" | head -n 6 || true
    head -n 3 "$scratch/said"
  fi
}

# try NAME OPTIONS…: builds names.c with the options, in three ways, and compares each.
try() {
  local name=$1 way library
  local -A ways=([usual]="" [exporting]="-rdynamic" [fixed]="-no-pie -fno-pie")
  shift
  for way in "${!ways[@]}"; do
    # shellcheck disable=SC2086 # words
    "$cc" -O1 -fno-builtin -w ${ways[$way]} "$sources/names.c" "$@" -o "$scratch/$name.$way" -ldl
    "$scratch/$name.$way" >"$scratch/plain" 2>/dev/null
    programs=$((programs + 1))
    for library in "${libraries[@]}"; do compare "$scratch/$name.$way" "$library"; done
  done
}

libraries=("$@")
try none
try pool "$sources/pool.c"
try pool_to_libc -DTO_LIBC "$sources/pool.c"
try pool_to_next -DTO_NEXT "$sources/pool.c"
try hooks "$sources/hooks.c"
try hooks_of_next -DNEXT "$sources/hooks.c"
try wrapped -Wl,--wrap=malloc,--wrap=free "$sources/wrapped.c"
if archive=$("$cc" -print-file-name=libjemalloc.a) && [[ -f $archive ]]; then
  try jemalloc -DWITHOUT_PVALLOC "$archive" -lm -lstdc++ -pthread
else
  echo "no static jemalloc: one program less"
fi
((failures == 0)) || exit 1
echo "PASS  $programs programs with an allocator of their own behave as without the preload"
