#!/usr/bin/env bash
# Only libheapsmith_trace.so has probes of calls: no other library has a function of the recorder,
# nor the magic number of its files.
# no_probes.sh TRACE_LIBRARY OTHERS…
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

has_recorder() { nm -C "$1" 2>/dev/null | grep -q 'heapsmith::recorder::' || grep -q HSRAWTRC "$1"; }
has_none() { ! has_recorder "$1"; }

expect "${1##*/} has the recorder" has_recorder "$1"
for library in "${@:2}"; do expect "${library##*/} has none" has_none "$library"; done
all_held
