#!/usr/bin/env bash
# Patterns that were cliffs have not come back, and the search knows a cliff when it sees one.
#   known.sh PROGRAM
set -euo pipefail

if "$1" --many 20000 --pattern "planted fill=add_back thin=none bytes=small cycle=pop_front,add_back"; then
  echo "the planted cliff was not found" >&2
  exit 1
fi
grep -v '^#' "${BASH_SOURCE[0]%/*}/known.txt" |
  while read -r pattern; do "$1" --many 20000 --pattern "$pattern"; done
