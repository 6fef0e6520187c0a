#!/usr/bin/env bash
# The cost of the smallest programs: peak RSS at most 0.35 MiB over glibc's.
# Arguments: the laboratory's static launcher, the preload library, the program `one_malloc`.
set -uo pipefail
launcher=$1
preload=$2
one_malloc=$3
most_kib=358
failures=0

# mean_rss PRELOAD-CHANGE PROGRAM: the mean of forty runs, in KiB. Where the kernel maps a program
# moves one run by 150 KiB, so neither the least nor the median of a few can be compared.
mean_rss() {
  for _ in {1..40}; do
    "$launcher" 3 10000 "$2" "$1" -- "$2" 3>&1 >/dev/null
  done | awk '$1 == "ran" { sum += $6; ++runs } END { if (runs != 40) exit 1; printf "%.0f\n", sum / runs }'
}

for program in /bin/true "$one_malloc"; do
  glibc=$(mean_rss -LD_PRELOAD "$program") || exit
  ours=$(mean_rss "LD_PRELOAD=$preload" "$program") || exit
  more=$((ours - glibc))
  echo "${program##*/}: glibc $glibc KiB, heapsmith $ours KiB, $more KiB more, at most $most_kib"
  ((more <= most_kib)) || failures=$((failures + 1))
done
((failures == 0))
