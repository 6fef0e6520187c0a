#!/usr/bin/env bash
# A mimalloc whose interface libheapsmith_dialects.so does not have works alone: linked with the
# program, or as a plug-in.
# newer.sh DIALECTS PROGRAM_LINKED_WITH_IT PROGRAM LIBRARY
set -euo pipefail
dialects=$1 linked=$2 program=$3 library=$4
failures=0

expect() {
  local said status=0
  said=$(LD_PRELOAD=$2 "${@:3}" 2>&1) || status=$?
  if [[ $status/$said == "$1" ]]; then return; fi
  failures=$((failures + 1))
  echo "FAIL  ${*:3}: status $status: $said"
}

expect "0/version 30403, theirs 1" "" "$linked"
expect "0/version 30403, theirs 1" "$dialects" "$linked"
expect "0/version 30403, theirs 1" "" "$program" "$library"
expect "0/version 30403, theirs 1" "$dialects" "$program" "$library"
expect "0/version 209, theirs 1" "$dialects" "$program"
((failures == 0)) || exit 1
echo "PASS  a newer mimalloc works alone"
