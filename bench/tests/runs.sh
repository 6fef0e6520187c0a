#!/usr/bin/env bash
# Everything a suite lists runs, measures something and gives the answer of its row.
# runs.sh PROGRAM PRELOAD [FILE]
# FILE gets what the runs print, below a line `run WORKLOAD CONTENDER THREADS`.
set -euo pipefail

log=${3-/dev/null}
declare -A answers
count=0
while read -r workload contender threads; do
  preload=
  if [[ $contender == *-heapsmith ]]; then preload=$2; fi
  run=("$1" "$contender" "$workload" --threads "$threads" --short)
  printed=$(LD_PRELOAD=$preload "${run[@]}") || { echo "${run[*]} fails with $?" >&2; exit 1; }
  printf 'run %s %s %s\n%s\n' "$workload" "$contender" "$threads" "$printed" >>"$log"
  if ! grep -q '^value ' <<<"$printed"; then
    echo "${run[*]} measured nothing: $printed" >&2
    exit 1
  fi
  got=$(grep -xE 'check [0-9a-f]{16}' <<<"$printed")
  row="$workload $threads"
  if [[ $got != "${answers[$row]:=$got}" ]]; then
    echo "${run[*]}: $got instead of ${answers[$row]}" >&2
    exit 1
  fi
  count=$((count + 1))
done < <("$1" --list)
((count > 0)) || { echo "$1 lists nothing" >&2; exit 1; }
echo "$count runs"
