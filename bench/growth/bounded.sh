#!/usr/bin/env bash
# No step of heapsmith's families takes many more instructions among 100,000 elements than among
# 1,000.   bounded.sh PROGRAM
set -euo pipefail

count=0
while read -r workload contender _; do
  if [[ $contender == std ]]; then continue; fi
  most=1.5
  if [[ $workload == set-* ]]; then most=2.5; fi  # a tree is deeper
  growth=$("$1" "$contender" "$workload" --short |
    sed -n 's/^value instructions_growth n=100000 //p')
  if ! awk -v growth="$growth" -v most="$most" 'BEGIN { exit !(growth > 0 && growth <= most) }'; then
    echo "$contender $workload: a step takes $growth times the instructions" >&2
    exit 1
  fi
  count=$((count + 1))
done < <("$1" --list)
((count > 0)) || { echo "$1 lists nothing" >&2; exit 1; }
echo "$count kinds of steps"
