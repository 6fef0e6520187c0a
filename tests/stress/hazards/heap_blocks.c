// A program linked to libheapsmith.so makes heaps, and gives their blocks to what it knows: free,
// realloc and malloc_usable_size. Under the preload all of these are one allocator's.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "hazard.h"
#include "heapsmith/heapsmith.h"

enum { blocks = 600 };
static void* kept[blocks];

/* Functions that the compiler cannot take for malloc's own. */
static void (*volatile free_plainly)(void*) = free;
static void* (*volatile realloc_plainly)(void*, size_t) = realloc;

static void* block_of(hs_heap* heap, size_t bytes) {
  unsigned char* p = hs_heap_malloc(heap, bytes);
  REQUIRE(p != NULL);
  p[bytes - 1] = (unsigned char)(bytes * 31);
  memcpy(p, &bytes, sizeof bytes);
  return p;
}

static size_t held(hs_heap* heap) {
  hs_heap_statistics s = {.size = sizeof s};
  REQUIRE(hs_heap_stats(heap, &s) == 0);
  return s.held_bytes;
}

static size_t in_use(hs_heap* heap) {
  hs_heap_statistics s = {.size = sizeof s};
  REQUIRE(hs_heap_stats(heap, &s) == 0);
  return s.in_use_bytes;
}

static void free_all(void) {
  for (int i = 0; i < blocks; ++i) {
    check_block(kept[i]);
    free_plainly(kept[i]);
  }
}

static void* free_all_in_thread(void* unused) {
  free_all();
  return unused;
}

static void fill(hs_heap* heap) {
  uint64_t state = 1;
  for (int i = 0; i < blocks; ++i) kept[i] = block_of(heap, some_size(&state));
}

static void plain_names_take_them(hs_heap* heap) {
  fill(heap);
  REQUIRE(in_use(heap) > 0);
  free_all();
  REQUIRE(in_use(heap) == 0);

  fill(heap);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, free_all_in_thread, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  hs_purge(); /* takes in what the thread sent */
  REQUIRE(held(heap) == 0);
}

static void resized_blocks_stay(hs_heap* heap) {
  char* p = block_of(heap, 100);
  for (size_t bytes = 200; bytes < (size_t)40 << 20; bytes *= 3) {
    p = realloc_plainly(p, bytes);
    REQUIRE(p != NULL && malloc_usable_size(p) >= bytes);
    REQUIRE(in_use(heap) >= bytes);
    REQUIRE(*(size_t*)p == 100 && p[99] == (char)(100 * 31));
  }
  free_plainly(p);
  REQUIRE(in_use(heap) == 0);
}

static hs_heap* shared;
static atomic_bool over;

static void* use_shared(void* unused) {
  while (!over) hs_heap_free(shared, block_of(shared, 100));
  return unused;
}

static void* use_in_child(void* unused) {
  for (int i = 0; i < 2000; ++i) free_plainly(block_of(shared, 100));
  return unused;
}

/* A child and a thread of the child go on with the heap. */
static void children_go_on(hs_heap* heap) {
  shared = heap;
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, use_shared, NULL) == 0);
  for (int i = 0; i < 50; ++i) {
    void* mine = block_of(heap, 100);
    const pid_t child = fork();
    if (child == 0) {
      pthread_t other;
      REQUIRE(pthread_create(&other, NULL, use_in_child, NULL) == 0);
      use_in_child(NULL);
      REQUIRE(pthread_join(other, NULL) == 0);
      end_block(mine);
      hs_heap_reset(heap);
      REQUIRE(held(heap) == 0);
      _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    end_block(mine);
  }
  over = 1;
  REQUIRE(pthread_join(thread, NULL) == 0);
}

int main(void) {
  hs_heap* heap = hs_heap_create();
  hs_heap* other = hs_heap_create();
  REQUIRE(heap != NULL && other != NULL);
  plain_names_take_them(heap);
  resized_blocks_stay(heap);
  children_go_on(heap);

  void* survivor = block_of(other, 500);
  fill(heap);
  hs_heap_destroy(heap);
  check_block(survivor);
  free_plainly(survivor);
  hs_heap_destroy(other);
  return 0;
}
