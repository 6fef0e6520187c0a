#!/usr/bin/env bash
# A program fails at every eleventh start, for a reason of its own, under each of two allocators.
# report: sharkdp/hyperfine#827
# right: the failures are counted under each allocator, and none is blamed
# fails: not measured
set -euo pipefail
if [[ ! -x $HEAPSMITH ]]; then echo "no $HEAPSMITH"; exit 77; fi

cat >program.sh <<'PROGRAM'
#!/bin/sh
echo x >>starts
test "$(($(wc -l <starts) % 11))" != 0 || exit 7
PROGRAM
chmod +x program.sh

status=0
"$HEAPSMITH" try --rounds 20 --alloc "as-built,$PRELOAD" -- ./program.sh >said 2>&1 || status=$?
if ((status != 0)); then echo "FAILED: status $status"; cat said; exit 1; fi
if ! grep -q '3 of 42 runs failed (exit code 7)' said || grep -q 'misuses memory' said; then
  echo "FAILED: no count, or an allocator is blamed"
  cat said
  exit 1
fi
echo ok
