#!/usr/bin/env bash
# Under a limit of address space, jemalloc refuses 8 MiB although all that the program had is free:
# blocks from that size on come from an arena of their own, and other arenas keep their addresses.
#
# Expected: a program fills 256 MiB of address space with blocks of 20,000 bytes, frees all of them,
# and then gets one of 7 MiB as well as one of 8 MiB.
# Seen on x86-64: glibc 2.36 and mimalloc 2.0.9 serve both. jemalloc 5.3.0 serves 7 MiB and refuses
# 8 MiB with ENOMEM, also after malloc_trim. With MALLOC_CONF=oversize_threshold:0, which has all
# arenas serve all sizes, it serves both.
# This matters for services under `ulimit -v` that load a large file after a busy time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get -qq download libjemalloc2=5.3.0-1 libmimalloc2.0=2.0.9+ds-2
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >filled.c <<'PROGRAM'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(void) {
  const struct rlimit limit = {256 << 20, 256 << 20};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  void **first = NULL, **block;
  while ((block = malloc(20000)) != NULL) {
    *block = first;
    first = block;
  }
  for (void** next; first != NULL; first = next) {
    next = *first;
    free(first);
  }
  malloc_trim(0);
  for (size_t mib = 7; mib <= 8; ++mib) {
    void* const longer = malloc(mib << 20);
    printf("%s%s", longer != NULL ? "served" : "refused", mib == 7 ? " " : "\n");
    free(longer);
  }
  return 0;
}
PROGRAM
gcc -O1 -fno-builtin filled.c -o filled

# sees NAME LIBRARY EXPECTED: what 7 and 8 MiB get under an allocator.
sees() {
  local got
  got=$(LD_PRELOAD=${2:+$(find . -name "$2" -print -quit)} ./filled)
  echo "7 and 8 MiB, $1: $got"
  [[ $got == "$3" ]]
}
sees glibc '' 'served served'
sees mimalloc 'libmimalloc.so.2*' 'served served'
sees jemalloc 'libjemalloc.so.2' 'served refused'
export MALLOC_CONF=oversize_threshold:0
sees 'jemalloc with oversize_threshold:0' 'libjemalloc.so.2' 'served served'
