#!/usr/bin/env bash
# A program at a fixed address, as node's official build, takes malloc's address and is served.
# report: none
# right: statistics and messages are written, and a malformed limit ends it with status 78
# fails: not measured
set -eu
cat >program.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(void) {
  void* (*volatile allocate)(size_t) = malloc;
  char* const block = allocate(100000);
  if (block == NULL) return 1;
  memset(block, 1, 100000);
  free(block);
  return 0;
}
C
"$CC" -O1 -fno-builtin -fno-pie -no-pie program.c -o program
HEAPSMITH_STATS=1 LD_PRELOAD="$PRELOAD" ./program 2>said
grep -q 'statistics of program' said || { echo "no statistics"; exit 1; }
HEAPSMITH_STAT=1 LD_PRELOAD="$PRELOAD" ./program 2>said
grep -q 'HEAPSMITH_STAT is unknown' said || { echo "no word of a mistake"; exit 1; }
status=0
HEAPSMITH_LIMIT_BYTES=12Q LD_PRELOAD="$PRELOAD" ./program 2>said || status=$?
[ "$status" -eq 78 ] || { echo "a malformed limit: status $status"; exit 1; }
