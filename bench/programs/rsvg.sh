#!/bin/sh
# librsvg draws curves that shine through, each in a layer of its own, and writes a picture.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

rsvg-convert "$input/drawing.svg" -o "$printed"
check
