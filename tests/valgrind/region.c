// Uses blocks of a region correctly, and then makes the mistake that the argument names.
#include <stdio.h>
#include <string.h>

#include "heapsmith/region.h"

enum { blocks = 100, bytes = 1 << 20 };

static char buffer[bytes];
static hs_region region;

/// Allocates blocks of many sizes, frees half of them, and grows new ones in place or by moving.
static int use(void) {
  char* live[blocks];
  for (int i = 0; i < blocks; ++i) {
    live[i] = hs_region_malloc(&region, 20 + 1000 * (size_t)(i % 7));
    if (live[i] == NULL) return 0;
    memset(live[i], i, 20);
  }
  for (int i = 0; i < blocks; i += 2) hs_region_free(&region, live[i]);
  for (int i = 0; i < blocks; i += 2) {
    live[i] = hs_region_realloc(&region, hs_region_malloc(&region, 30), 700);
    if (live[i] == NULL) return 0;
    memset(live[i], i, 700);
  }
  for (int i = 0; i < blocks; ++i)
    if (live[i][19] != i) return 0;
  return hs_region_check(&region) == 0;
}

int main(int argc, char** argv) {
  const char* const bug = argc > 1 ? argv[1] : "none";
  if (hs_region_init(&region, buffer, sizeof buffer) != 0 || !use()) return 2;
  const volatile int end = 100;  // hidden from the compiler
  volatile char* const p = hs_region_malloc(&region, (size_t)end);
  p[0] = 1;
  if (strcmp(bug, "overflow") == 0) p[end] = 1;
  if (strcmp(bug, "uninitialised") == 0 && p[5] != 0) puts("whatever it was");
  hs_region_free(&region, (void*)p);
  if (strcmp(bug, "freed") == 0) p[3] = 1;
  hs_region_reset(&region);
  volatile char* const q = hs_region_malloc(&region, 100);
  q[99] = 1;
  hs_region_destroy(&region);
  memset(buffer, 0, sizeof buffer);  // the program may use the buffer again
  return 0;
}
