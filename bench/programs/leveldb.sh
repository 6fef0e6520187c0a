#!/bin/sh
# LevelDB, a store of sorted runs, is filled, overwritten, compacted and read.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

/usr/bin/python3 "$cases/store.py" "$scratch/store" "$(by_size 60000 15000)" >"$printed"
check
