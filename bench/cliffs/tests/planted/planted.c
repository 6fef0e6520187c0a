// An allocator with a cliff, to preload. PLANTED=slow: blocks from 3,000 to 6,000 bytes cost three
// microseconds more. PLANTED=leak: each block of 100,000 bytes or more leaks 1,000 bytes, and costs
// ten microseconds more: a search drops a peer that looks slower, and libc's must not on any
// machine. The rest is libc's own.
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern void* __libc_malloc(size_t size);
extern void __libc_free(void* block);

static int is_planted(const char* what) {
  const char* how = getenv("PLANTED");
  return how != NULL && strcmp(how, what) == 0;
}

static void wait_ns(long ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ns);
}

void* malloc(size_t size) {
  if (size >= 3000 && size <= 6000 && is_planted("slow")) wait_ns(3000);
  if (size >= 100000 && is_planted("leak")) {
    memset(__libc_malloc(1000), 1, 1000);
    wait_ns(10000);
  }
  return __libc_malloc(size);
}

void free(void* block) {
  __libc_free(block);
}
