/* malloc of libheapsmith_override.a beside regions, which libheapsmith.a alone has. */
#include <heapsmith/heapsmith.h>
#include <heapsmith/region.h>
#include <stdlib.h>

int main(void) {
  static unsigned char buffer[1 << 16];
  static hs_region region; /* zero, as a region that has not been started */
  void *block, *part;
  if (hs_region_init(&region, buffer, sizeof buffer) != 0) return 1;
  part = hs_region_malloc(&region, 100);
  block = malloc(100);
  if (part == NULL || block == NULL) return 1;
  hs_free(block); /* aborts if malloc is not heapsmith's */
  hs_region_free(&region, part);
  return 0;
}
