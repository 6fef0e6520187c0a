/* A plugin with a heapsmith of its own. */
#include <heapsmith/heapsmith.h>

void* plugin_allocate(void) {
  return hs_malloc(100);
}
