#!/bin/sh
# rg, a Rust program, finds and rewrites words in a tree of files. Sorted paths mean one thread.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

cd "$input/tree"
rg --no-config --sort path -n -o -r '$4/$3/$2/$1' '(\w+)-(\d+) (\w+) (\w+)' >"$printed"
check
