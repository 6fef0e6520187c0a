#!/usr/bin/env bash
# lua5.4: tables, strings, closures and coroutines under a collector that frees all the time.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  timeout 60 lua5.4 "$cases/trees.lua"
}

same_run lua5.4
pass "$(wc -l <"$scratch/preload/stdout") lines identical"
