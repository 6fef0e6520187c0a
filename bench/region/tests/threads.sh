#!/usr/bin/env bash
# A thread-safe contender gives one answer per number of threads, however the threads meet.
# threads.sh PROGRAM
set -euo pipefail

for threads in 2 5 10; do
  expected=
  for repeat in 1 2 3; do
    got=$("$1" random-pareto-8-32k-80 --threads "$threads" --short | grep '^check ')
    if [[ $got != "${expected:=$got}" ]]; then
      echo "$1 at $threads threads, run $repeat: $got instead of $expected" >&2
      exit 1
    fi
  done
done
