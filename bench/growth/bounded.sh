#!/usr/bin/env bash
# Everything the suite lists runs, and no step of heapsmith's families takes many more instructions
# among 100,000 elements than among 1,000.   bounded.sh PROGRAM PRELOAD
set -euo pipefail
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$(dirname "$0")/../tests/runs.sh" "$1" "$2" "$printed"

awk '
  $1 == "run" { workload = $2; contender = $3; runs += contender != "std" }
  $1 == "value" && $2 == "instructions_growth" && $3 == "n=100000" && contender != "std" {
    ++count
    most = workload ~ /^set-/ ? 2.5 : 1.5  # a tree is deeper
    if ($4 > 0 && $4 <= most) next
    print contender " " workload ": a step takes " $4 " times the instructions"
    exit failed = 1
  }
  END {
    if (failed) exit 1
    if (count == 0 || count != runs) { print count + 0 " of " runs + 0 " were measured"; exit 1 }
    print count " kinds of steps"
  }' "$printed"
