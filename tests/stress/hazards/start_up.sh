#!/usr/bin/env bash
# The cost of the smallest programs: peak RSS at most 0.35 MiB over glibc's.
# Arguments: the laboratory's static launcher, the preload library, the program `one_malloc`.
set -uo pipefail
launcher=$1
preload=$2
one_malloc=$3
most_kib=358
failures=0

# least_rss PRELOAD-CHANGE PROGRAM: the least of ten runs, in KiB.
least_rss() {
  for _ in {1..10}; do
    "$launcher" 3 10000 "$2" "$1" -- "$2" 3>&1 >/dev/null | awk '$1 == "ran" { print $6 }'
  done | sort -n | head -1
}

for program in /bin/true "$one_malloc"; do
  glibc=$(least_rss -LD_PRELOAD "$program")
  ours=$(least_rss "LD_PRELOAD=$preload" "$program")
  more=$((ours - glibc))
  echo "${program##*/}: glibc $glibc KiB, heapsmith $ours KiB, $more KiB more, at most $most_kib"
  ((more <= most_kib)) || failures=$((failures + 1))
done
((failures == 0))
