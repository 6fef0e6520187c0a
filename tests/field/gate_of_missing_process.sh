#!/usr/bin/env bash
# The program that a gate judges is linked statically in the new version, and is not recorded.
# report: none
# right: the gate does not pass: diff --fail-above exits with 3, and names the process
# fails: not measured
set -euo pipefail
if [[ ! -x $HEAPSMITH ]]; then exit 77; fi
cat >work.c <<'PROGRAM'
#include <stdlib.h>

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  while (n-- > 0) free(malloc(100));
  return 0;
}
PROGRAM
"$CC" -O1 -fno-builtin work.c -o old
"$CC" -O1 -fno-builtin -static work.c -o new
for version in old new; do
  "$HEAPSMITH" record -o "$version.trace" -- sh -c "./$version 20000; true" 2>/dev/null
done
status=0
"$HEAPSMITH" diff old.trace new.trace --fail-above 5% --export-markdown gate.md >/dev/null ||
  status=$?
((status == 3)) || { echo "status $status"; exit 1; }
grep -q 'new.trace is incomplete: .*(./new) was not recorded: it is linked statically' gate.md
status=0
"$HEAPSMITH" diff old.trace old.trace --fail-above 5% >/dev/null || status=$?
((status == 0)) || { echo "a whole trace: status $status"; exit 1; }
