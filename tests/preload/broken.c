// A preload that is faulty on purpose: the negative control of the tests that run other programs.
#include <stddef.h>
#include <string.h>

void* __libc_malloc(size_t size);
void __libc_free(void* block);
size_t malloc_usable_size(void* block);

enum { loses_from = 1000, lost_tail = 64 };

void* malloc(size_t size) {
  return __libc_malloc(size);
}

// Faulty: the last bytes of a long block are not copied. Short blocks are correct, so that a
// program starts, runs and gives a wrong answer.
void* realloc(void* old, size_t size) {
  if (!old) return __libc_malloc(size);
  if (size == 0) {
    __libc_free(old);
    return NULL;
  }
  void* moved = __libc_malloc(size);
  if (!moved) return NULL;
  size_t length = malloc_usable_size(old);
  if (length > loses_from) length -= lost_tail;
  memcpy(moved, old, length < size ? length : size);
  __libc_free(old);
  return moved;
}

// Faulty: the product is not checked for overflow.
void* reallocarray(void* old, size_t count, size_t size) {
  return realloc(old, count * size);
}
