#!/usr/bin/env bash
# A program that contains jemalloc calls reallocarray, which jemalloc does not define.
# report: sharkdp/fd#2121, microsoft/mimalloc#244
# right: the array grows, as under glibc
# fails: not measured
set -eu
archive=$("$CC" -print-file-name=libjemalloc.a)
[ -f "$archive" ] || exit 77
cat >program.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char* names = NULL;
  for (size_t n = 0; n < 1000; ++n) {
    names = reallocarray(names, n + 1, 16);
    if (names == NULL) return 1;
    snprintf(names + n * 16, 16, "n%zu", n);
  }
  char* const copy = strdup(names + 999 * 16);
  if (strcmp(reallocarray(copy, 20, 20), "n999") != 0) return 2;
  free(names);
  return 0;
}
C
"$CC" -O1 -fno-builtin program.c "$archive" -o program -lm -lstdc++ -pthread
./program
LD_PRELOAD="$PRELOAD" ./program
LD_PRELOAD="$DIALECTS" ./program
