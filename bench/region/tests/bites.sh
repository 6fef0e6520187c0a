#!/usr/bin/env bash
# Every workload says what is wrong when the contender's blocks overlap.   bites.sh PROGRAM
set -euo pipefail

mapfile -t workloads < <("$1" --list)
((${#workloads[@]} > 0))
for workload in "${workloads[@]}"; do
  # Without overlaps the same contender is sound: what fails below fails by the overlaps.
  if ! sound=$("$1" "$workload" --short); then
    echo "$workload fails even without overlaps: $sound" >&2
    exit 1
  fi
  status=0
  found=$(ulimit -c 0 && OVERLAP_PERIOD=7 "$1" "$workload" --short 2>&1) || status=$?
  if [[ $status -ne 1 || $found != *wrong:* ]]; then
    echo "$workload with overlaps: exit $status, ${found:-no output}" >&2
    exit 1
  fi
done
echo "${#workloads[@]} workloads notice an overlap"
