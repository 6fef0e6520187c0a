/* A program written against mimalloc's own header, linked with libheapsmith_dialects.so. */
#include <mimalloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAPSMITH_DIALECTS_OMIT_OPTIONS /* their parameter is an enumeration of mimalloc's */
#include "adapt/dialects/mimalloc/functions.h"

static int failures = 0;

static void expect(int truth, const char* what) {
  if (!truth) failures += printf("FAILED: %s\n", what) > 0;
}

int main(void) {
  mi_heap_t* heap = mi_heap_new();
  int* numbers = mi_heap_calloc_tp(heap, int, 100);
  expect(numbers[99] == 0 && mi_heap_contains_block(heap, numbers), "a block of the heap");
  char* text = mi_heap_strdup(heap, "text");
  expect(strcmp(text, "text") == 0, "a copy of a string");
  free(text); /* malloc's family is of the same heap */
  expect(mi_heap_set_default(heap) == mi_heap_get_backing(), "the backing heap is the default");
  expect(mi_heap_contains_block(heap, mi_malloc(64)), "mi_malloc uses the default heap");
  mi_heap_destroy(heap);
  expect(mi_heap_get_default() == mi_heap_get_backing(), "a destroyed heap is no default");
  void* p = mi_malloc_aligned(100, 4096);
  expect((uintptr_t)p % 4096 == 0 && mi_usable_size(p) >= 100, "an aligned block");
  mi_free(p);
  expect(MI_MALLOC_VERSION / 100 == mi_version() / 100, "the major version is that of the header");
  expect(mi_option_get(mi_option_decommit_delay) == 1000, "the decommit delay is the purge delay");
  if (failures == 0) puts("ok");
  return failures != 0;
}
