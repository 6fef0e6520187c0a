#!/usr/bin/env bash
# A demonstration must print the same check line as it is and with the advice followed, without and
# with a preload.   advised_check.sh PRELOAD-OR-EMPTY PROGRAM [ARGS…]
set -euo pipefail

preload=$1
shift

expected=$("$@")
if [[ ! $expected =~ ^check\ [0-9a-f]{16}$ ]]; then
  echo "$1 printed '$expected' instead of a check line" >&2
  exit 1
fi

for advised in 0 1; do
  got=$(env ${preload:+LD_PRELOAD="$preload"} "$@" --advised "$advised")
  if [[ $got != "$expected" ]]; then
    echo "$1 with --advised $advised: '$got' instead of '$expected'" >&2
    exit 1
  fi
done
