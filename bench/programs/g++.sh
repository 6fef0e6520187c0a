#!/bin/sh
# g++ compiles a source full of templates to assembly.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

defined=$(by_size -DWHOLE -DQUICK)
cd "$cases"
g++ -std=c++20 -O1 -frandom-seed=1 "$defined" -S -o "$printed" containers.cpp
check
