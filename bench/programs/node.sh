#!/bin/sh
# node: worker threads that compress, encrypt, sort and pass buffers to each other.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

node --max-old-space-size=512 "$cases/workers.mjs" "$(by_size 2 1)" >"$printed"
check
