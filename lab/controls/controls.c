// Allocators with a known fault, in front of glibc's: a replay must rank each of them as it is.
//
// plain   adds nothing
// slow    waits 20 ns in each call of malloc and free, or as many as $HEAPSMITH_CONTROL_NS says
// leaky   forgets one free in ten
// fresh   never uses memory again
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

#if defined(FRESH)

// Each block has its size in the 16 bytes before it. Pieces are mapped and never returned.
enum { piece = 64 << 20, least = 16 };
static _Thread_local char *at, *end;

static void* carve(size_t bytes, size_t align) {
  if (align < least) align = least;
  if (bytes > (size_t)1 << 47) {
    errno = ENOMEM;
    return NULL;
  }
  uintptr_t p = ((uintptr_t)at + least + align - 1) & ~(uintptr_t)(align - 1);
  if (at == NULL || p + bytes > (uintptr_t)end) {
    size_t all = bytes + align + least > piece ? bytes + align + least : piece;
    char* fresh = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
      errno = ENOMEM;
      return NULL;
    }
    at = fresh;
    end = fresh + all;
    p = ((uintptr_t)at + least + align - 1) & ~(uintptr_t)(align - 1);
  }
  at = (char*)p + bytes;
  ((size_t*)p)[-1] = bytes;
  return (void*)p;
}

void* malloc(size_t n) {
  return carve(n, least);
}
void* calloc(size_t n, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(n, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return carve(all, least);  // a piece is zero, and used once
}
void free(void* p) {
  (void)p;
}
void* realloc(void* old, size_t n) {
  void* p = carve(n, least);
  if (p != NULL && old != NULL) {
    size_t had = ((size_t*)old)[-1];
    memcpy(p, old, had < n ? had : n);
  }
  return p;
}
void* memalign(size_t align, size_t n) {
  return carve(n, align);
}
size_t malloc_usable_size(void* p) {
  return p == NULL ? 0 : ((size_t*)p)[-1];
}

#else

#if defined(SLOW)
static void wait(void) {
  // A count of the clock is at most a nanosecond on the machines that this is for.
  static uint64_t counts;
  if (__builtin_expect(counts == 0, 0)) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    uint64_t begin = __builtin_ia32_rdtsc(), ns;
    do {
      clock_gettime(CLOCK_MONOTONIC, &to);
      ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec -
           (uint64_t)from.tv_nsec;
    } while (ns < 100000);
    const char* told = getenv("HEAPSMITH_CONTROL_NS");
    const uint64_t wanted = told == NULL ? 20 : strtoul(told, NULL, 10);
    counts = (__builtin_ia32_rdtsc() - begin) * wanted / ns + 1;
  }
  uint64_t begin = __builtin_ia32_rdtsc();
  while (__builtin_ia32_rdtsc() - begin < counts) __builtin_ia32_pause();
}
#else
static void wait(void) {}
#endif

void* malloc(size_t n) {
  wait();
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t size) {
  return __libc_calloc(n, size);
}
void* realloc(void* p, size_t n) {
  return __libc_realloc(p, n);
}
void* memalign(size_t align, size_t n) {
  return __libc_memalign(align, n);
}
void free(void* p) {
#if defined(LEAKY)
  static _Thread_local unsigned n;
  if (p != NULL && ++n % 10 == 0) return;
#endif
  wait();
  __libc_free(p);
}

#endif

void* aligned_alloc(size_t align, size_t n) {
  return memalign(align, n);
}
int posix_memalign(void** to, size_t align, size_t n) {
  void* p = memalign(align, n);
  if (p == NULL) return ENOMEM;
  *to = p;
  return 0;
}
void* valloc(size_t n) {
  return memalign(4096, n);
}
void* pvalloc(size_t n) {
  return memalign(4096, (n + 4095) & ~(size_t)4095);
}
