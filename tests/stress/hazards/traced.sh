#!/usr/bin/env bash
# Runs a program under libheapsmith_trace.so, and requires that it records.
# traced.sh LIBRARY PROGRAM ARGUMENTS…: the argument FOLDER stands for an empty folder, in which the
# program starts recordings. Without it, all processes are recorded from their start.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
arguments=("${@:3}")
settings=(LD_PRELOAD="$1" HEAPSMITH_RECORD_DIR="$scratch")
for i in "${!arguments[@]}"; do
  [[ ${arguments[i]} == FOLDER ]] || continue
  arguments[i]=$scratch
  settings=(LD_PRELOAD="$1")
done
status=0
env "${settings[@]}" "$2" "${arguments[@]}" || status=$?
((status == 0)) || exit "$status"
compgen -G "$scratch/*.raw" >/dev/null || { echo "nothing was recorded"; exit 1; }
