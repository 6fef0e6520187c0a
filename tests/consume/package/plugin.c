/* A plugin that contains its own heapsmith. */
#include <heapsmith/heapsmith.h>

void* plugin_allocate(void) {
  return hs_malloc(100);
}
