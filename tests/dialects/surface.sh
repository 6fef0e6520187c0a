#!/usr/bin/env bash
# The lists in surface/ name the C functions and the operators that other allocators' libraries
# export, and say what becomes of each under libheapsmith_dialects.so:
#   served  libheapsmith_dialects.so has it, and its blocks are heapsmith's.
#   alone   It stays the other library's, or is absent: it takes and returns blocks of that library
#           alone, or none. free() passes such blocks on to it.
# Functions of C++ other than operators stay the other library's. surface.sh LIBRARY
set -euo pipefail
lists=$(dirname "$(realpath "$0")")/surface
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-surface.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# names LIBRARY: the C functions and operators that it exports. Others of C++ begin with _Z.
names() {
  nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' |
    grep -E '^([^_]|_[^Z]|_Z(n[wa]|d[la]))' | sort -u
}

expect_none() {
  if [[ ! -s $scratch/wrong ]]; then return; fi
  failures=$((failures + 1))
  echo "FAIL  $1:"
  cat "$scratch/wrong"
}

# listed STATUS LISTS…: the names with this status; .: with any.
listed() {
  local status=$1
  shift
  awk -v status="$status" '!/^#/ && $2 ~ status { print $1 }' "$@" | sort -u
}

names "$1" >"$scratch/ours"
listed served "$lists"/*.txt >"$scratch/served"
listed alone "$lists"/{mimalloc-2,jemalloc,gperftools}*.txt >"$scratch/alone"
comm -23 "$scratch/served" "$scratch/ours" >"$scratch/wrong"
expect_none "served in the list, and absent"
comm -12 "$scratch/alone" "$scratch/ours" >"$scratch/wrong"
expect_none "alone in the list, and present"
listed . "$lists"/*.txt >"$scratch/all"
grep -E '^(mi_|tc_|MallocExtension_|mall(ctl|ocx)|[rxsdn]+allocx)' "$scratch/ours" |
  comm -13 "$scratch/all" - >"$scratch/older"

# Libraries that are installed, of whatever version: they have no function that nobody listed.
for library in libmimalloc.so libjemalloc.so.2 libtcmalloc_minimal.so.4; do
  found=$(ldconfig -p | awk -v name="$library" '$1 == name { last = $NF } END { print last }')
  if [[ -z $found || ! -e $found ]]; then continue; fi
  names "$found" | comm -23 - "$scratch/all" | comm -23 - "$scratch/ours" |
    grep -E '^(mi_|tc_|MallocExtension_|mall|[rxsdn]+allocx)' >"$scratch/wrong" || true
  expect_none "exported by $found, and unlisted"
done
((failures == 0)) || exit 1
echo "PASS  $(wc -l <"$scratch/served") functions served, $(wc -l <"$scratch/alone") not," \
  "$(wc -l <"$scratch/older") of older versions"
