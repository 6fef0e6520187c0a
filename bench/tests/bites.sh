#!/usr/bin/env bash
# Every workload of a suite says what is wrong when blocks overlap.   bites.sh PROGRAM
set -euo pipefail

mapfile -t workloads < <("$1" --list | cut -d' ' -f1 | sort -u)
((${#workloads[@]} > 0))
for workload in "${workloads[@]}"; do
  run=("$1" overlapping "$workload" --short)
  # Without overlaps the same contender is sound: what fails below fails by the overlaps.
  if ! sound=$("${run[@]}"); then
    echo "$workload fails even without overlaps: $sound" >&2
    exit 1
  fi
  status=0
  found=$(ulimit -c 0 && OVERLAP_PERIOD=2 "${run[@]}" 2>&1) || status=$?
  if [[ $status -ne 1 || $found != *wrong:* ]]; then
    echo "$workload with overlaps: exit $status, ${found:-no output}" >&2
    exit 1
  fi
done
echo "${#workloads[@]} workloads notice an overlap"
