#!/bin/sh
# vips cuts a picture into tiles at all scales, with two threads.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

export VIPS_CONCURRENCY=2
vips dzsave "$input/picture.ppm" "$scratch/tiles" --tile-size 254 --overlap 1 --suffix .png
aside find "$scratch/tiles_files" -name '*.png' -print0 >"$scratch/names"
aside sort -z "$scratch/names" | aside xargs -0 cat >"$printed"
check
