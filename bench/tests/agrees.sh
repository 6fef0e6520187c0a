#!/usr/bin/env bash
# A program prints values, and the same check value with a preload and without.
# agrees.sh PRELOAD PROGRAM [ARGS…]
set -euo pipefail

preload=$1
shift
for library in "" "$preload"; do
  printed=$(env ${library:+LD_PRELOAD="$library"} "$@") || { echo "$* fails with $?" >&2; exit 1; }
  if ! grep -qE '^value [a-z0-9_]+ [0-9.e+-]+$' <<<"$printed"; then
    echo "$* measured nothing: $printed" >&2
    exit 1
  fi
  got=$(grep -xE 'check [0-9a-f]{16}' <<<"$printed")
  if [[ $got != "${expected:=$got}" ]]; then
    echo "$* with ${library:-no preload}: $got instead of $expected" >&2
    exit 1
  fi
done
