#!/bin/sh
# gs draws pages of text, curves and shaded fields.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=ppmraw -r120 "-sOutputFile=$printed" "$input/pages.ps"
check
