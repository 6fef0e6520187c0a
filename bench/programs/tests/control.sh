#!/usr/bin/env bash
# The negative control: an allocator that loses bytes does not get past a driver, and what is wrong
# with a driver is noticed.   control.sh DRIVERS BROKEN PRELOAD WITNESS
set -euo pipefail

drivers=$1 broken=$2 preload=$3 witness=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect REASON DRIVER PRELOAD: the test of that driver fails, for that reason.
expect() {
  local said status=0
  said=$("$(dirname "$0")/driver.sh" "$2" "$3" "$witness" 2>&1) || status=$?
  if [[ $status != 1 || $said != *"$1"* ]]; then
    echo "expected '$1', got status $status: $said" >&2
    exit 1
  fi
}

expect "under the preload" "$drivers/lua5.4.sh" "$broken"
expect "under the preload" "$drivers/sqlite3.sh" "$broken"
expect "is not in checks.txt" "$drivers/common.sh" "$preload"

ln -s "$drivers/cases" "$drivers/input" "$drivers/common.sh" "$scratch"
sed 's/cases.trees/&-x/' "$drivers/lua5.4.sh" >"$scratch/lua5.4.sh" && chmod +x "$scratch/lua5.4.sh"
expect "ends with 1" "$scratch/lua5.4.sh" "$preload"
sed 's/by_size 4 1/by_size 4 2/' "$drivers/lua5.4.sh" >"$scratch/lua5.4.sh"
expect "instead of" "$scratch/lua5.4.sh" "$preload"
sed 's/^lua5.4/LD_PRELOAD="" &/' "$drivers/lua5.4.sh" >"$scratch/lua5.4.sh"
expect "did not run on" "$scratch/lua5.4.sh" "$preload"
