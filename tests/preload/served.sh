#!/usr/bin/env bash
# Whether the preload speaks of settings and statistics in each program that it serves, and in no
# other. served.sh CC PRELOAD
set -euo pipefail
cc=$1 preload=$2
unset LD_PRELOAD
sources=$(dirname "$(realpath "$0")")/own
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-served.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# under VARIABLE=VALUE PROGRAM…: the status, and how many lines are written to stderr.
under() {
  local status=0
  env "$1" LD_PRELOAD="$preload" "${@:2}" >/dev/null 2>"$scratch/said" || status=$?
  echo "$status/$(wc -l <"$scratch/said")"
}

expect() {
  if [[ $2 == "$3" ]]; then return; fi
  failures=$((failures + 1))
  echo "FAIL  $1: $2, expected $3"
  head -n 3 "$scratch/said"
}

# try NAME SERVED OPTIONS…: builds the program, and sees what is said.
try() {
  local name=$1 served=$2 size
  shift 2
  "$cc" -O1 -fno-builtin "$sources/taken.c" "$@" -o "$scratch/$name" -ldl
  for size in 100 100000 90000000; do
    if [[ $served == yes ]]; then
      expect "$name: a malformed limit" \
        "$(under HEAPSMITH_LIMIT_BYTES=12Q "$scratch/$name" "$size")" 78/1
      expect "$name: an unknown name" "$(under HEAPSMITH_STAT=1 "$scratch/$name" "$size")" 0/1
      expect "$name: statistics" "$(under HEAPSMITH_STATS=1 "$scratch/$name" "$size")" 0/17
    else
      expect "$name: a malformed limit" \
        "$(under HEAPSMITH_LIMIT_BYTES=12Q "$scratch/$name" "$size")" 0/0
      expect "$name: statistics" "$(under HEAPSMITH_STATS=1 "$scratch/$name" "$size")" 0/0
    fi
  done
}

# A program at a fixed address that takes malloc's address gives malloc an address in itself.
try pie yes -fpie -pie
try fixed yes -fno-pie -no-pie
try fixed_exporting yes -fno-pie -no-pie -rdynamic
try calling_the_next yes -DCOUNTS "$sources/hooks.c" -DNEXT
try calling_libc yes -DCOUNTS "$sources/hooks.c"
try pool no -DCOUNTS "$sources/pool.c"
try pool_at_fixed_address no -DCOUNTS -fno-pie -no-pie "$sources/pool.c"
((failures == 0)) || exit 1
echo "PASS  the preload speaks in the programs that it serves, and in no other"
