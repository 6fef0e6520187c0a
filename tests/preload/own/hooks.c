// A part of malloc's family, over that of libc: counts blocks, as programs do that look for leaks.
// NEXT: over the next one, found before main() by a constructor, as many a tutorial has it.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "pool.h"

#if defined(NEXT)
static void* (*inner_malloc)(size_t size);
static void (*inner_free)(void* p);

__attribute__((constructor)) static void find_next(void) {
  inner_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  inner_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
}
#else
void* __libc_malloc(size_t size);
void __libc_free(void* p);
#define inner_malloc __libc_malloc
#define inner_free __libc_free
#endif

void* malloc(size_t size) {
  ++pool_takes;
  return inner_malloc(size);
}

void free(void* p) {
  if (p != NULL) ++pool_returns;
  inner_free(p);
}
