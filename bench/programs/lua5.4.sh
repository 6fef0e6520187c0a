#!/bin/sh
# lua5.4: trees, texts and coroutines under a collector that frees all the time.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

lua5.4 -e 'for _ = 1, arg[1] do dofile(arg[2]) end' /dev/null "$(by_size 4 1)" \
  "$cases/trees.lua" >"$printed"
check
