#!/usr/bin/env bash
# A workload must report a fault when the allocator's blocks overlap.
# check_bites.sh FAULTY-PRELOAD PROGRAM [ARGS…]
set -euo pipefail

faulty=$1
shift

# Without overlaps the same library is a working allocator, so a failure below is due to overlaps.
if ! sound=$(OVERLAP_PERIOD=0 LD_PRELOAD="$faulty" "$@"); then
  echo "$1 fails under the control library even without overlaps" >&2
  exit 1
fi

status=0
found=$(ulimit -c 0 && OVERLAP_PERIOD=41 LD_PRELOAD="$faulty" "$@" 2>&1) || status=$?
echo "without overlaps: $sound; with overlaps: exit $status, ${found:-no output}"
[[ $status -eq 1 && $found == wrong:* ]]
