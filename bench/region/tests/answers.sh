#!/usr/bin/env bash
# Every workload of a program ends well and gives the answer that the reference gives.
# answers.sh REFERENCE PROGRAM
set -euo pipefail

reference=$1
program=$2

# run PROGRAM ARGUMENTS…: its output, which must have measured something.
run() {
  local printed
  printed=$("$@" --short) || { echo "$* fails with $?" >&2; return 1; }
  if ! grep -q '^value ' <<<"$printed"; then
    echo "$* measured nothing: $printed" >&2
    return 1
  fi
  echo "$printed"
}
check_of() { grep -xE 'check [0-9a-f]{16}' <<<"$1"; }

mapfile -t workloads < <("$program" --list)
((${#workloads[@]} >= 33)) || { echo "only ${#workloads[@]} workloads" >&2; exit 1; }
for workload in "${workloads[@]}"; do
  got=$(run "$program" "$workload")
  check=$(check_of "$got")
  [[ $workload == fill-* ]] && continue  # how many blocks fit is the contender's own affair
  expected=$(check_of "$(run "$reference" "$workload")")
  if [[ $check != "$expected" ]]; then
    echo "$program $workload: $check instead of $expected" >&2
    exit 1
  fi
done
counted=$(run "$program" random-powers-16-4k-80 --count-instructions)
[[ $counted == *worst_instructions* ]]
