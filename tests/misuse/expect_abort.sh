#!/usr/bin/env bash
# Runs a misuse program, which must abort after printing exactly one line to stderr. The first
# argument is a pattern for that line; %p is the pointer that the program printed to stdout, and "|"
# separates alternatives.
set -uo pipefail
lines=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ulimit -c 0

{ "$@" >"$scratch/out" 2>"$scratch/err"; } 2>/dev/null
status=$?
pointer=$(head -1 "$scratch/out")
IFS='|' read -ra alternatives <<<"${lines//%p/$pointer}"
for line in "${alternatives[@]}"; do
  # shellcheck disable=SC2053  # a pattern
  if ((status == 134)) && [[ $(<"$scratch/err") == $line && $(wc -l <"$scratch/err") == 1 ]]; then
    exit 0
  fi
done

echo "status: $status, expected 134 (SIGABRT)"
printf 'expected on stderr: %s\n' "${alternatives[@]}"
echo "stderr:"
cat "$scratch/err"
echo "stdout:"
cat "$scratch/out"
exit 1
