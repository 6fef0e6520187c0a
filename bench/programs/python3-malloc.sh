#!/bin/sh
# As python3, but each object is a block of malloc: Python's own allocator is off.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

PYTHONHASHSEED=1 PYTHONMALLOC=malloc \
  /usr/bin/python3 "$cases/records.py" "$(by_size 8 2)" >"$printed"
check
