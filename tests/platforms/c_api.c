// Random steps over the C API of every family, on a platform without GoogleTest. Each test prints
// "ok NAME". A block that loses its contents, and an invariant that does not hold, end the program.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapsmith/heap.h"
#include "heapsmith/heapsmith.h"
#include "heapsmith/offset_region.h"
#include "heapsmith/region.h"
#include "heapsmith/shared_region.h"

#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("wrong: %s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

enum { slots = 500, steps = 40000 };

static uint32_t next(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// Mostly small sizes, some of a slab, and a few that are mapped.
static size_t some_size(uint32_t* state) {
  const uint32_t kind = next(state) % 1000;
  if (kind < 900) return next(state) % 2000 + 1;
  if (kind < 997) return next(state) % 100000 + 1;
  return next(state) % 3000000 + 1;
}

struct family {
  void* self;
  void* (*allocate)(void* self, size_t align, size_t bytes);
  void* (*resize)(void* self, void* p, size_t bytes);
  void (*end)(void* self, void* p);
};

struct block {
  unsigned char* p;
  size_t bytes;
  unsigned char fill;
};

static void expect_contents(const struct block* b, size_t bytes) {
  for (size_t i = 0; i < bytes; i += i + 1 < bytes && i > 64 ? 61 : 1) EXPECT(b->p[i] == b->fill);
}

static void exercise(const struct family* f, uint32_t seed, size_t largest) {
  static __thread struct block blocks[slots];
  memset(blocks, 0, sizeof blocks);
  for (int step = 0; step < steps; ++step) {
    struct block* b = &blocks[next(&seed) % slots];
    size_t bytes = some_size(&seed);
    if (bytes > largest) bytes = bytes % largest + 1;
    if (b->p == NULL) {
      const size_t align = next(&seed) % 8 == 0 ? (size_t)1 << next(&seed) % 13 : 1;
      b->p = f->allocate(f->self, align, bytes);
      if (b->p == NULL) continue;
      EXPECT((uintptr_t)b->p % align == 0);
    } else if (f->resize != NULL && next(&seed) % 4 == 0) {
      unsigned char* moved = f->resize(f->self, b->p, bytes);
      if (moved == NULL) continue;
      b->p = moved;
      expect_contents(b, bytes < b->bytes ? bytes : b->bytes);
    } else {
      expect_contents(b, b->bytes);
      f->end(f->self, b->p);
      b->p = NULL;
      continue;
    }
    b->bytes = bytes;
    b->fill = (unsigned char)step;
    memset(b->p, b->fill, bytes);
  }
  for (int i = 0; i < slots; ++i) {
    if (blocks[i].p == NULL) continue;
    expect_contents(&blocks[i], blocks[i].bytes);
    f->end(f->self, blocks[i].p);
  }
}

static void* heap_allocate(void* self, size_t align, size_t bytes) {
  (void)self;
  return align > 16 ? hs_aligned_alloc(align, bytes) : hs_malloc(bytes);
}
static void* heap_resize(void* self, void* p, size_t bytes) {
  (void)self;
  return hs_realloc(p, bytes);
}
static void heap_end(void* self, void* p) {
  (void)self;
  hs_free(p);
}
static const struct family the_heap = {NULL, heap_allocate, heap_resize, heap_end};

static size_t in_use(void) {
  hs_statistics s;
  s.size = sizeof s;
  EXPECT(hs_stats(&s) == 0);
  return s.in_use_bytes;
}

static void heap_of_one_thread(void) {
  const size_t before = in_use();
  exercise(&the_heap, 1, SIZE_MAX);
  EXPECT(in_use() == before);
}

static void* in_thread(void* seed) {
  exercise(&the_heap, (uint32_t)(uintptr_t)seed, SIZE_MAX);
  return hs_malloc(1000);  // freed by another thread
}

static void heap_of_many_threads(void) {
  for (int turn = 0; turn < 3; ++turn) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; ++i)
      EXPECT(pthread_create(&threads[i], NULL, in_thread, (void*)(i + 2)) == 0);
    for (int i = 0; i < 4; ++i) {
      void* left;
      EXPECT(pthread_join(threads[i], &left) == 0);
      hs_free(left);
    }
  }
}

static int status_of(pid_t child) {
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  return status;
}

static void heap_across_fork(void) {
  void* p = hs_malloc(5000);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    exercise(&the_heap, 7, SIZE_MAX);
    hs_free(p);
    _exit(0);
  }
  exercise(&the_heap, 8, SIZE_MAX);
  EXPECT(status_of(child) == 0);
  hs_free(p);
}

static void double_free_is_told(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    EXPECT(freopen("/dev/null", "w", stderr) != NULL);
    void* volatile p = hs_malloc(100);
    hs_free(p);
    hs_free(p);
    _exit(0);
  }
  EXPECT(WIFSIGNALED(status_of(child)));
}

static void purge_keeps_blocks(void) {
  unsigned char* p = hs_malloc(1 << 20);
  memset(p, 5, 1 << 20);
  hs_free(hs_malloc(64 << 20));
  hs_purge();
  for (size_t i = 0; i < 1 << 20; ++i) EXPECT(p[i] == 5);
  hs_free(p);
}

static void* first_class_allocate(void* self, size_t align, size_t bytes) {
  return align > 16 ? hs_heap_aligned_alloc(self, align, bytes) : hs_heap_malloc(self, bytes);
}
static void* first_class_resize(void* self, void* p, size_t bytes) {
  return hs_heap_realloc(self, p, bytes);
}
static void first_class_end(void* self, void* p) {
  hs_heap_free(self, p);
}

static void first_class_heap(void) {
  hs_heap* heap = hs_heap_create();
  EXPECT(heap != NULL);
  const struct family f = {heap, first_class_allocate, first_class_resize, first_class_end};
  exercise(&f, 9, SIZE_MAX);
  for (int i = 0; i < 1000; ++i) EXPECT(hs_heap_malloc(heap, 200) != NULL);
  hs_heap_destroy(heap);
}

static void* region_allocate(void* self, size_t align, size_t bytes) {
  return align > 8 ? hs_region_aligned_alloc(self, align, bytes) : hs_region_malloc(self, bytes);
}
static void* region_resize(void* self, void* p, size_t bytes) {
  return hs_region_realloc(self, p, bytes);
}
static void region_end(void* self, void* p) {
  hs_region_free(self, p);
}

static void region(void) {
  static hs_region r;
  static _Alignas(16) unsigned char buffer[4 << 20];
  EXPECT(hs_region_init(&r, buffer, sizeof buffer) == 0);
  const struct family f = {&r, region_allocate, region_resize, region_end};
  exercise(&f, 10, 50000);  // now and then the region is full
  EXPECT(hs_region_check(&r) == 0);
  hs_region_defragment(&r);
  EXPECT(hs_region_check(&r) == 0);
  EXPECT(hs_region_malloc(&r, sizeof buffer * 9 / 10) != NULL);
  hs_region_destroy(&r);
}

static void offset_region(void) {
  static hs_offset_region r;
  static uint64_t table[1 << 15];
  static struct {
    hs_offset_block block;
    uint64_t bytes;
    int is_live;
  } held[slots];
  EXPECT(hs_offset_region_init(&r, (uint64_t)1 << 40, 256, table, sizeof table) == 0);
  uint32_t seed = 11;
  for (int step = 0; step < steps; ++step) {
    const uint32_t i = next(&seed) % slots;
    if (held[i].is_live) {
      EXPECT(hs_offset_region_size_of(&r, held[i].block) >= held[i].bytes);
      hs_offset_region_deallocate(&r, held[i].block);
      held[i].is_live = 0;
    } else {
      held[i].bytes = (uint64_t)next(&seed) << next(&seed) % 10;
      held[i].block = hs_offset_region_allocate(&r, held[i].bytes, 1);
      held[i].is_live = hs_offset_region_owns(&r, held[i].block);
    }
  }
  EXPECT(hs_offset_region_check(&r) == 0);
  hs_offset_region_destroy(&r);
}

static void* shared_allocate(void* self, size_t align, size_t bytes) {
  return align > 16 ? hs_shared_region_aligned_alloc(self, align, bytes)
                    : hs_shared_region_malloc(self, bytes);
}
static void* shared_resize(void* self, void* p, size_t bytes) {
  return hs_shared_region_realloc(self, p, bytes);
}
static void shared_end(void* self, void* p) {
  hs_shared_region_free(self, p);
}

static void shared_region(void) {
  const size_t bytes = 8 << 20;
  void* segment = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(segment != MAP_FAILED);
  static hs_shared_region r;
  EXPECT(hs_shared_region_create(&r, segment, bytes) == 0);
  const struct family f = {&r, shared_allocate, shared_resize, shared_end};
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    static hs_shared_region again;
    EXPECT(hs_shared_region_attach(&again, segment, bytes) == 0);
    const struct family g = {&again, shared_allocate, shared_resize, shared_end};
    exercise(&g, 12, 30000);
    _exit(0);
  }
  exercise(&f, 13, 30000);
  EXPECT(status_of(child) == 0);
  EXPECT(hs_shared_region_check(&r) == 0);
  hs_shared_region_destroy(&r);
  munmap(segment, bytes);
}

#ifdef REPLACES_MALLOC
static void malloc_is_heapsmiths(void) {
  void* p = malloc(1000);
  EXPECT(p != NULL && hs_malloc_usable_size(p) >= 1000);
  p = realloc(p, 100000);
  EXPECT(hs_malloc_usable_size(p) >= 100000);
  hs_free(p);
  void* aligned;
  EXPECT(posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0);
  free(aligned);
  char* copy = strdup("a copy");
  EXPECT(hs_malloc_usable_size(copy) >= 7);
  free(copy);
}
#endif

int main(void) {
#define RUN(test) (test(), printf("ok %s\n", #test))
  RUN(heap_of_one_thread);
  RUN(heap_of_many_threads);
  RUN(heap_across_fork);
  RUN(double_free_is_told);
  RUN(purge_keeps_blocks);
  RUN(first_class_heap);
  RUN(region);
  RUN(offset_region);
  RUN(shared_region);
#ifdef REPLACES_MALLOC
  RUN(malloc_is_heapsmiths);
#endif
  return 0;
}
