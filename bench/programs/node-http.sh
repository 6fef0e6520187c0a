#!/bin/sh
# node serves pages over HTTP, compressed as they are sent, to clients of its own.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

node "$cases/pages.mjs" "$scratch/socket" "$(by_size 1500 300)" >"$printed"
check
