#!/usr/bin/env bash
# A workload must print the same check line without and with a preload, at all thread counts, in
# every run.   stable_check.sh PRELOAD-OR-EMPTY "THREADS…" PROGRAM [ARGS…]
set -euo pipefail

preload=$1
read -ra thread_counts <<<"$2"
shift 2

# Programs that measure themselves print other lines beside the check line.
check_of() { env "$@" | grep '^check '; }

expected=$(check_of "$@")
if [[ ! $expected =~ ^check\ [0-9a-f]{16}$ ]]; then
  echo "$1 printed '$expected' instead of a check line" >&2
  exit 1
fi

for threads in "${thread_counts[@]}"; do
  for repeat in 1 2 3; do
    got=$(check_of ${preload:+LD_PRELOAD="$preload"} "$@" --threads "$threads") || {
      echo "$1 failed with $? at $threads threads, run $repeat" >&2
      exit 1
    }
    if [[ $got != "$expected" ]]; then
      echo "$1 at $threads threads, run $repeat: '$got' instead of '$expected'" >&2
      exit 1
    fi
  done
done
