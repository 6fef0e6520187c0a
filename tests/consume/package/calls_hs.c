/* Calls the C API from C. Blocks must be as promised, and libc's malloc must still work. */
#include <heapsmith/heapsmith.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
  if (!(condition)) return fprintf(stderr, "line %d: %s\n", __LINE__, #condition), 1

int main(void) {
  EXPECT(strlen(hs_version()) > 0);

  unsigned char* block = hs_calloc(25, 4);
  EXPECT(block != NULL && (uintptr_t)block % 16 == 0);
  EXPECT(hs_malloc_usable_size(block) >= 100);
  for (int i = 0; i < 100; ++i) EXPECT(block[i] == 0);
  memset(block, 7, 100);

  block = hs_realloc(block, 100000);
  EXPECT(block != NULL);
  for (int i = 0; i < 100; ++i) EXPECT(block[i] == 7);
  hs_free(block);

  void* aligned = hs_aligned_alloc(4096, 8192);
  EXPECT(aligned != NULL && (uintptr_t)aligned % 4096 == 0);
  hs_free(aligned);
  hs_purge();

  void* of_libc = malloc(100);
  EXPECT(of_libc != NULL);
  free(of_libc);
  return 0;
}
