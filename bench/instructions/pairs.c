// Makes a known number of warm allocate+free pairs, whose instructions callgrind counts.
//
// usage: pairs SHAPE SIZE COUNT
//   malloc   malloc(SIZE), free                       one pair a step
//   calloc   calloc(1, SIZE), free                    one pair a step
//   realloc  realloc of one block to the size it has  one call a step
//   batch    64 times malloc(SIZE), then 64 times free, last first: 64 pairs a step
//   heap     hs_heap_malloc(heap, SIZE), hs_heap_free, where the allocator has them: as malloc
//   refused  hs_heap_malloc(heap, SIZE), which the heap's limit refuses: one call a step
//   remote   free of a block that the main thread allocated, in another thread: one call a step
//   replace  the same and malloc(SIZE): one pair a step
//   random   free of one of 262,144 blocks, chosen at random, and malloc(SIZE): one pair a step
//   few      the same with 1,000 blocks
//   drain    as batch, with 20 blocks of each of 20 sizes from SIZE on, one size after the other
//   drain-3  the same with 3 blocks of each
//
// A few blocks of the size stay allocated throughout, so that the warm path is counted, not the
// first use or the emptying of a size class with every pair.
//
// COUNT is the number of pairs (of calls for realloc and refused). Running it with two counts and
// dividing the difference by the difference of the counts removes start-up, warm-up and exit from
// the result. -fno-builtin keeps the calls, and every block escapes.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch_size = 64, warm_up_pairs = 4096, held_blocks = 8 };
enum { many_blocks = 1 << 18, few_blocks = 1000, drained_sizes = 20 };

static void* volatile escaped;

// Hands the block out of the compiler's sight and touches it, as a program would.
static void* use(void* block) {
  if (block == NULL) {
    fputs("pairs: out of memory\n", stderr);
    exit(1);
  }
  *(char*)block = 1;
  escaped = block;
  return escaped;
}

static void malloc_pairs(size_t size, long count) {
  for (long i = 0; i < count; ++i) free(use(malloc(size)));
}

static void calloc_pairs(size_t size, long count) {
  for (long i = 0; i < count; ++i) free(use(calloc(1, size)));
}

static void realloc_calls(size_t size, long count) {
  void* block = use(malloc(size));
  for (long i = 0; i < count; ++i) block = use(realloc(block, size));
  free(block);
}

static void one_batch(size_t size, int blocks) {
  void* batch[batch_size];
  for (int i = 0; i < blocks; ++i) batch[i] = use(malloc(size));
  for (int i = blocks; i > 0; --i) free(batch[i - 1]);
}

static void batch_pairs(size_t size, long count) {
  for (long done = 0; done < count; done += batch_size) one_batch(size, batch_size);
}

// Sizes an eighth of SIZE apart.
static void drain_sizes(size_t size, long count, int blocks) {
  for (long done = 0; done < count; done += drained_sizes * blocks)
    for (size_t i = 0; i < drained_sizes; ++i) one_batch(size + i * size / 8, blocks);
}

static void drain_pairs(size_t size, long count) {
  drain_sizes(size, count, 20);
}

static void drain_few_pairs(size_t size, long count) {
  drain_sizes(size, count, 3);
}

static void replace_at_random(size_t size, long count, unsigned alive) {
  static void* blocks[many_blocks];
  static uint64_t random = 1;
  for (unsigned i = 0; i < alive && blocks[i] == NULL; ++i) blocks[i] = use(malloc(size));
  for (long i = 0; i < count; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    void** chosen = &blocks[(random >> 33) % alive];
    free(*chosen);
    *chosen = use(malloc(size));
  }
}

static void random_pairs(size_t size, long count) {
  replace_at_random(size, count, many_blocks);
}

static void random_few_pairs(size_t size, long count) {
  replace_at_random(size, count, few_blocks);
}

// A function of the preloaded allocator's own.
static void* function_of(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found != NULL) return found;
  fprintf(stderr, "pairs: the allocator has no %s\n", name);
  exit(1);
}

static void heap_pairs(size_t size, long count) {
  struct hs_heap* (*create)(void);
  void* (*allocate)(struct hs_heap*, size_t);
  void (*end)(struct hs_heap*, void*);
  *(void**)&create = function_of("hs_heap_create");
  *(void**)&allocate = function_of("hs_heap_malloc");
  *(void**)&end = function_of("hs_heap_free");
  static struct hs_heap* heap;
  if (heap == NULL) heap = create();
  void* held[held_blocks];
  for (int i = 0; i < held_blocks; ++i) held[i] = use(allocate(heap, size));
  for (long i = 0; i < count; ++i) end(heap, use(allocate(heap, size)));
  for (int i = 0; i < held_blocks; ++i) end(heap, held[i]);
}

static void refused_calls(size_t size, long count) {
  struct hs_heap* (*create)(void);
  void (*limit)(struct hs_heap*, size_t);
  void* (*allocate)(struct hs_heap*, size_t);
  *(void**)&create = function_of("hs_heap_create");
  *(void**)&limit = function_of("hs_heap_set_limit");
  *(void**)&allocate = function_of("hs_heap_malloc");
  static struct hs_heap* heap;
  if (heap == NULL) {
    heap = create();
    limit(heap, 1 << 20);
    while (allocate(heap, size) != NULL) {
    }
  }
  for (long i = 0; i < count; ++i) {
    escaped = allocate(heap, size);
    if (escaped == NULL) continue;
    fputs("pairs: the heap has room\n", stderr);
    exit(1);
  }
}

// Blocks of the main thread, for another. There are as many for each COUNT, so that the difference
// between two counts has no trace of their allocation.
enum { handed_over = 64 * 1024 };
static char* handed[handed_over];
static long next_handed;

static void hand_over(size_t size, long count, void* (*in_thread)(void*)) {
  if (handed[0] == NULL)
    for (int i = 0; i < handed_over; ++i) handed[i] = use(malloc(size));
  if (next_handed + count > handed_over) {
    fputs("pairs: COUNT is too large\n", stderr);
    exit(2);
  }
  long task[2] = {(long)size, count};
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, task) != 0) exit(1);
  pthread_join(thread, NULL);
}

static void* free_handed(void* task) {
  for (long left = ((long*)task)[1]; left != 0; --left) free(handed[next_handed++]);
  return NULL;
}

static void remote_frees(size_t size, long count) {
  hand_over(size, count, free_handed);
}

// A block that comes back is replaced again: it is still the main thread's.
static void* replace_handed(void* task) {
  const size_t size = (size_t)((long*)task)[0];
  char* block = handed[next_handed++];
  for (long left = ((long*)task)[1]; left != 0; --left) {
    char* const before = block;
    free(block);
    block = use(malloc(size));
    if (block != before && left != 1) block = handed[next_handed++];
  }
  return NULL;
}

static void remote_pairs(size_t size, long count) {
  hand_over(size, count, replace_handed);
}

struct shape {
  const char* name;
  void (*run)(size_t size, long count);
};

static const struct shape shapes[] = {
    {"malloc", malloc_pairs},  {"calloc", calloc_pairs},     {"realloc", realloc_calls},
    {"batch", batch_pairs},    {"heap", heap_pairs},         {"remote", remote_frees},
    {"replace", remote_pairs}, {"random", random_pairs},     {"few", random_few_pairs},
    {"drain", drain_pairs},    {"drain-3", drain_few_pairs}, {"refused", refused_calls},
};

int main(int argc, char** argv) {
  if (argc != 4) {
    fputs("usage: pairs SHAPE SIZE COUNT, SHAPE:", stderr);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
      fprintf(stderr, " %s", shapes[i].name);
    fputs("\n", stderr);
    return 2;
  }
  size_t size = strtoul(argv[2], NULL, 10);
  long count = strtol(argv[3], NULL, 10);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    if (strcmp(argv[1], shapes[i].name) != 0) continue;
    for (int held = 0; held < held_blocks; ++held) use(malloc(size));
    shapes[i].run(size, warm_up_pairs);
    shapes[i].run(size, count);
    return 0;
  }
  fprintf(stderr, "pairs: no shape '%s'\n", argv[1]);
  return 2;
}
