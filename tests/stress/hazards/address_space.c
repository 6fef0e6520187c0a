// RLIMIT_AS is lowered below what the heap reserved, or was low from the start: address_space WAY.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include "hazard.h"

#include "heapsmith/heapsmith.h"

// Without the preload it does not exist.
#pragma weak hs_stats

enum { blocks = 3000 };
static void* kept[blocks];

static void* allocate_in_thread(void* unused) {
  for (int i = 0; i < 100; ++i) end_block(new_block(100 + (size_t)i * 300));
  return unused;
}

static void create_threads(void) {
  for (int n = 0; n < 20; ++n) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
      REQUIRE(pthread_create(&threads[i], NULL, allocate_in_thread, NULL) == 0);
    for (int i = 0; i < 4; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);
  }
}

static void lower_limit(void) {
  const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
  free(new_block(100));  // the heap has made its reservation
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void allocate_widely(void) {
  for (int i = 0; i < blocks; ++i) kept[i] = new_block(70000);  // 375 MiB of spans
  for (int i = 0; i < blocks; ++i) end_block(kept[i]);
}

/* Until memory runs out, and again: each time the same amount. */
static size_t exhaust(void) {
  size_t got = 0;
  int n = 0;
  errno = 0;
  while (n < blocks && (kept[n] = malloc(60000)) != NULL) {
    memset(kept[n], 1, 60000);
    got += 65536;
    ++n;
  }
  REQUIRE(n < blocks && errno == ENOMEM);
  while (n > 0) free(kept[--n]);
  return got;
}

/* A long block after shorter ones filled the address space, of which one is left at its end. */
static void take_long_after_short(void) {
  enum { long_block = 100 << 20 };
  const struct rlimit limit = {256 << 20, 256 << 20};
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  int n = 0;
  while (n < blocks && (kept[n] = malloc(500000)) != NULL) ++n;
  REQUIRE(n > 300 && n < blocks);
  void* const last = new_block(1000);
  while (n > 0) free(kept[--n]);
  for (int round = 0; round < 3; ++round) {
    char* p = round == 0 ? malloc(long_block) : calloc(1, long_block);
    REQUIRE(p != NULL);
    for (int i = 0; i < long_block && round != 0; i += 4096) REQUIRE(p[i] == 0);
    memset(p, 7, long_block);
    REQUIRE(malloc_usable_size(p) >= long_block);
    if (hs_stats != NULL) {
      hs_statistics s = {.size = sizeof s};
      REQUIRE(hs_stats(&s) == 0 && s.direct_maps == 0 && s.large_bytes >= long_block);
      const uintptr_t at = (uintptr_t)p;
      REQUIRE((uintptr_t)(p = realloc(p, long_block)) == at);
      REQUIRE((uintptr_t)(p = realloc(p, long_block / 4 * 3)) == at);
      REQUIRE(malloc_usable_size(p) < long_block);
    }
    REQUIRE((p = realloc(p, long_block / 2)) != NULL);
    REQUIRE((p = realloc(p, long_block)) != NULL && p[0] == 7 && p[long_block / 2 - 1] == 7);
    REQUIRE((p = realloc(p, 1000)) != NULL && p[999] == 7);
    free(p);
  }
  end_block(last);
  for (volatile size_t bytes = (size_t)300 << 20; bytes < PTRDIFF_MAX; bytes *= 2) {
    errno = 0;
    REQUIRE(malloc(bytes) == NULL && errno == ENOMEM && calloc(1, bytes) == NULL);
  }
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  if (strcmp(argv[1], "threads_after") == 0) {
    lower_limit();
    create_threads();
  } else if (strcmp(argv[1], "malloc_after") == 0) {
    lower_limit();
    allocate_widely();
    create_threads();
    end_block(new_block((size_t)33 << 20));
  } else if (strcmp(argv[1], "low") == 0) {  // started under ulimit -v 100000
    const size_t first = exhaust();
    printf("got %zu KiB\n", first / 1024);
    REQUIRE(first > ((size_t)40 << 20));
    for (int i = 0; i < 20; ++i) REQUIRE(exhaust() >= first / 10 * 9);
    pthread_attr_t small;
    REQUIRE(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 65536) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &small, allocate_in_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
  } else if (strcmp(argv[1], "long_after_short") == 0) {
    take_long_after_short();
  } else {
    return 2;
  }
  return 0;
}
