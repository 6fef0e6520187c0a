#!/bin/sh
# xz compresses a text with two threads.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

xz -T2 -2 --block-size=1MiB -c "$input/text" >"$printed"
check
