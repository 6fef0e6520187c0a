#!/usr/bin/env bash
# Under AddressSanitizer and ThreadSanitizer, mlockall() returns 0 and locks nothing.
#
# Expected: the call locks memory, or fails with an error.
# Seen with GCC 12.2.0 and its libasan and libtsan (Debian 12, x86-64): built as usual, the kernel
# counts some MiB of locked memory after mlockall(MCL_CURRENT | MCL_FUTURE). With either sanitizer
# the call returns 0, and VmLck stays at 0 kB. Only a verbose run says so.
# This matters for tests of memory that is locked: built so, they test memory that is not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
gcc --version | head -n 1

cat >locked.c <<'PROGRAM'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 77;
  char line[256];
  long kib = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "VmLck: %ld", &kib);
  printf("%ld\n", kib);
  return 0;
}
PROGRAM

gcc -O1 locked.c -o plain
gcc -O1 -fsanitize=address locked.c -o address
gcc -O1 -fsanitize=thread locked.c -o thread
plain=$(./plain) || { echo "this user may lock no memory: run it as root"; exit 77; }
address=$(./address) thread=$(./thread)
echo "locked, in KiB: plain $plain, AddressSanitizer $address, ThreadSanitizer $thread"
((plain > 0 && address == 0 && thread == 0))
