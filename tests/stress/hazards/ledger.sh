#!/usr/bin/env bash
# The needed libraries, exports and sizes of the shared libraries. Arguments: libheapsmith.so, the
# preload library.
set -uo pipefail
# shellcheck source=tests/stress/hazards/expect.sh
source "${BASH_SOURCE[0]%/*}/expect.sh"

needs_libc_alone() {
  [[ $(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') == libc.so.6 ]]
}
exports_only_hs() { ! nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^hs_'; }
replaces_nothing() {
  ! nm -D --defined-only "$1" | grep -wE 'malloc|calloc|realloc|free|_Znwm|_Znam|_ZdlPv|_ZdaPv'
}
# size prints: text data bss dec hex filename.
text_kib() { size "$1" | awk 'NR == 2 { print int(($1 + 1023) / 1024) }'; }
data_kib() { size "$1" | awk 'NR == 2 { print int(($2 + $3 + 1023) / 1024) }'; }

for library in "$@"; do
  name=${library##*/}
  echo "$name: text $(text_kib "$library") KiB, data $(data_kib "$library") KiB"
  expect "$name needs libc alone" needs_libc_alone "$library"
  # 9 KiB of it are the heap of a thread that has none.
  expect "$name has at most 18 KiB of data" test "$(data_kib "$library")" -le 18
  expect "$name has no text relocations" test -z "$(readelf -dW "$library" | grep TEXTREL)"
done
# Every process that it is preloaded into pays for it. 4.5 KiB of it are relocations, which older
# loaders than glibc 2.36's do not accept packed; 6 KiB name mistakes in settings; 2.5 KiB
# find long runs of free slices among many holes; 1 KiB watches zeroed blocks; 3 KiB start and run
# the purger; 1.5 KiB keep the spans of threads within reach of a purge, and 1 KiB
# serves large blocks from them; 3 KiB tell wrong frees that the fast path lets pass; 1 KiB leaves
# out zero pages where a large block moves; 1.5 KiB take one of the spans given last without a search;
# 1 KiB is the shorter way from a full slab to the next one; 1 KiB leaves room behind blocks that go
# on growing; 1.5 KiB let full slabs stay owned and shorten the ways of large blocks; 0.2 KiB say
# that the library does not record calls.
expect "${2##*/} has at most 100 KiB of text" test "$(text_kib "$2")" -le 100
expect "libheapsmith.so exports only hs_ functions" exports_only_hs "$1"
# The exports of the preload must be in both lists of src/adapt/join: see join.cpp there.
joins() { nm "$1" | awk '$3 ~ /^target_hs_/ { print substr($3, 8) }' | sort; }
heap_exports() { nm -D --defined-only "$1" | awk '$3 ~ /^hs_/ { print $3 }' | sort; }
expect "libheapsmith.so joins the heap of each function that the preload exports" \
  test "$(joins "$1")" = "$(heap_exports "$2")"
expect "libheapsmith.so replaces nothing" replaces_nothing "$1"
all_held
