#!/usr/bin/env bash
# node: worker threads that sort, compress, encrypt and pass buffers to each other.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  timeout 100 node --max-old-space-size=512 "$cases/workers.mjs"
}

same_run node
pass "$(wc -l <"$scratch/preload/stdout") lines identical"
