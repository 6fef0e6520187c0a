#!/usr/bin/env bash
# One cell of the table in SECURITY.md: runs a program that frees a block wrongly, MISUSE_RUNS times
# (5 by default). The first argument is the cell: "at once" or "later", and then each run must abort
# with one line that names the pointer, or "no", and then a run may end well or abort later.
set -uo pipefail
told=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ulimit -c 0

for ((run = 1; run <= ${MISUSE_RUNS:-5}; ++run)); do
  { "$@" >"$scratch/out" 2>"$scratch/err"; } 2>/dev/null
  status=$?
  read -r pointer <"$scratch/out"
  mapfile -t lines <"$scratch/err"
  [[ $told == no && $status == 0 && ${#lines[@]} == 0 ]] && continue
  if ((status == 134 && ${#lines[@]} == 1)); then
    [[ ${lines[0]} == "heapsmith: free($pointer): "* ]] && continue
    [[ $told == later && ${lines[0]} == "heapsmith: earlier free($pointer): "* ]] && continue
    [[ $told == no && ${lines[0]} == "heapsmith: earlier free("* ]] && continue
  fi
  echo "run $run: status $status, $told was expected for $pointer; stderr:"
  cat "$scratch/err"
  exit 1
done
