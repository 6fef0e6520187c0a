// A malloc that counts blocks, over __libc_malloc, leaves calloc and realloc to libc.
// report: none
// right: blocks of calloc are freed by the free that ends in __libc_free
// fails: not measured
// under: preload recorder
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t size);
void __libc_free(void* p);

static volatile long live = 0;

void* malloc(size_t size) {
  ++live;
  return __libc_malloc(size);
}

void free(void* p) {
  if (p != NULL) --live;
  __libc_free(p);
}

int main(void) {
  for (size_t i = 1; i < 300; ++i) {
    char* const cleared = calloc(i, 100);
    char* const grown = realloc(malloc(i), i * 50);
    char* const aligned = aligned_alloc(64, 64 * i);
    char* const copy = strdup("text");
    if (cleared == NULL || grown == NULL || aligned == NULL || copy == NULL) return 1;
    for (size_t j = 0; j < i * 100; ++j)
      if (cleared[j] != 0) return puts("calloc gave no zeros"), 1;
    memset(grown, 1, i * 50);
    memset(aligned, 2, 64 * i);
    free(cleared);
    free(realloc(grown, 10));
    free(aligned);
    free(copy);
  }
  puts("ok");
  return 0;
}
