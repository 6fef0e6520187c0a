#!/bin/sh
# node serves pages over HTTP, compressed as they are sent, to clients of its own.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

cases=$(cd "$cases" && pwd)
cd "$scratch"  # the path of a socket may be no longer than 107 bytes
node "$cases/pages.mjs" socket "$(by_size 1500 300)" >"$printed"
check
