/* A program written against jemalloc's own header, linked with libheapsmith_dialects.so: our
 * declarations must be compatible with jemalloc's, and its flags must mean the same. */
#include <jemalloc/jemalloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "adapt/dialects/jemalloc/functions.h"

static int failures = 0;

static void expect(int truth, const char* what) {
  if (!truth) failures += printf("FAILED: %s\n", what) > 0;
}

int main(void) {
  char* p = mallocx(1000, MALLOCX_ALIGN(4096) | MALLOCX_ZERO | MALLOCX_TCACHE_NONE);
  expect((uintptr_t)p % 4096 == 0 && p[0] == 0 && p[999] == 0, "an aligned block of zeros");
  expect(sallocx(p, 0) == nallocx(1000, MALLOCX_LG_ALIGN(12)), "nallocx predicts its size");
  p = rallocx(p, 5000, MALLOCX_ZERO);
  expect(p[4999] == 0, "a block grows with zeros");
  dallocx(p, MALLOCX_TCACHE_NONE);

  unsigned arena;
  size_t length = sizeof arena;
  expect(mallctl("arenas.create", &arena, &length, NULL, 0) == 0, "arenas.create");
  p = mallocx(100, MALLOCX_ARENA(arena));
  memset(p, 1, 100);
  size_t mib[8], parts = 8;
  expect(mallctlnametomib("stats.arenas.0.small.allocated", mib, &parts) == 0 && parts == 5,
         "a mib");
  mib[2] = arena;
  size_t bytes;
  length = sizeof bytes;
  expect(mallctlbymib(mib, parts, &bytes, &length, NULL, 0) == 0 && bytes == sallocx(p, 0),
         "the arena has one block");
  free(p); /* malloc's family is of the same heap */
  expect(malloc_usable_size(p = malloc(100)) == nallocx(100, 0), "malloc and nallocx agree");
  sdallocx(p, 100, 0);
  char name[40];
  snprintf(name, sizeof name, "arena.%d.purge", MALLCTL_ARENAS_ALL);
  expect(mallctl(name, NULL, NULL, NULL, 0) == 0, "all arenas are purged");
  if (failures == 0) puts("ok");
  return failures != 0;
}
