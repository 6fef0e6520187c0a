/* A library with names of mimalloc whose interface is another one, as that of version 3 is: its
 * constructor begins by calls of functions under these names, and its heaps are its own. Blocks
 * come from an array, so that others can tell them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef struct mi_heap_s {
  int is_begun;
  size_t used;
  char room[1 << 16];
} mi_heap_t;

static mi_heap_t main_heap;

EXPORTED int mi_version(void) {
  return LIBRARY_VERSION;
}
EXPORTED void mi_thread_init(void) {
  main_heap.is_begun = 1;
}
EXPORTED void mi_process_init(void) {
  mi_thread_init();
}
EXPORTED mi_heap_t* mi_heap_main(void) {
  return &main_heap;
}
EXPORTED void* mi_heap_malloc(mi_heap_t* heap, size_t size) {
  if (!heap->is_begun) abort();
  void* const p = heap->room + heap->used;
  heap->used += (size + 15) & ~(size_t)15;
  return p;
}
EXPORTED void* mi_malloc(size_t size) {
  return mi_heap_malloc(mi_heap_main(), size);
}
EXPORTED int mi_is_in_heap_region(const void* p) {
  return (const char*)p >= main_heap.room &&
         (const char*)p < main_heap.room + sizeof main_heap.room;
}
EXPORTED void mi_free(void* p) {
  if (p != NULL && !mi_is_in_heap_region(p)) abort();
}
EXPORTED mi_heap_t* mi_heap_new(void) {
  mi_heap_t* const heap = calloc(1, sizeof *heap);
  heap->is_begun = 1;
  return heap;
}
EXPORTED void mi_heap_delete(mi_heap_t* heap) {
  free(heap);
}

__attribute__((constructor)) static void begin(void) {
  mi_process_init();
  memset(mi_malloc(100), 1, 100);
}
