#!/bin/sh
# git gc packs the history of a project again, with two threads.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
aside cp -r "$input/history.git" "$scratch/git"
git -C "$scratch/git" -c pack.threads=2 gc -q --aggressive --prune=now
git -C "$scratch/git" cat-file --batch --batch-all-objects >"$printed"
check
