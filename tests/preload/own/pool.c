// A pool in malloc's place: blocks one after the other, each with its size before it. Blocks of
// others go to where the macro PASS_ON says.
#define _GNU_SOURCE
#include "pool.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

void __libc_free(void* p);
void* __libc_realloc(void* p, size_t size);

static _Alignas(16) char room[64 << 20];
static size_t used = 0;

static int is_mine(const void* p) {
  return (uintptr_t)p - (uintptr_t)room < sizeof room;
}

static size_t size_of(const void* p) {
  return *(const size_t*)((const char*)p - 16);
}

void* malloc(size_t size) {
  const size_t begin = used + 16;
  if (size > sizeof room - begin) return NULL;
  used = begin + ((size + 15) & ~(size_t)15);
  *(size_t*)(room + begin - 16) = size;
  ++pool_takes;
  return room + begin;
}

void free(void* p) {
  if (p == NULL) return;
  if (is_mine(p)) {
    ++pool_returns;
    return;
  }
  ++pool_strangers;
#if defined(TO_LIBC)
  __libc_free(p);
#elif defined(TO_NEXT)
  ((void (*)(void*))dlsym(RTLD_NEXT, "free"))(p);
#endif
}

void* calloc(size_t count, size_t size) {
  void* const p = malloc(count * size);
  return p == NULL ? NULL : memset(p, 0, count * size);
}

void* realloc(void* p, size_t size) {
  if (p == NULL) return malloc(size);
  if (!is_mine(p)) {
    ++pool_strangers;
#if defined(TO_NEXT)
    return ((void* (*)(void*, size_t))dlsym(RTLD_NEXT, "realloc"))(p, size);
#else
    return __libc_realloc(p, size);
#endif
  }
  void* const q = malloc(size);
  if (q == NULL) return NULL;
  memcpy(q, p, size_of(p) < size ? size_of(p) : size);
  ++pool_returns;
  return q;
}
