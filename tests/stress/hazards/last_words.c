// A thread goes on allocating in its very last round of destructors, when the heap it had already
// serves another thread: both work at the same time, and neither may see the other's blocks.
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include "hazard.h"

enum { lives = 60, blocks = 500, entrusted_blocks = 40 };

static pthread_key_t key;
static pthread_barrier_t together;
static void* entrusted[entrusted_blocks];  // main's blocks, freed by the dying thread

static void work_together(uint64_t seed) {
  static const size_t sizes[] = {48, 300, 5000, 20000};
  void* mine[blocks];
  pthread_barrier_wait(&together);
  for (int i = 0; i < blocks; ++i) {
    const size_t bytes = sizes[i % 4];
    mine[i] = memset(new_block(bytes), (int)(seed + (uint64_t)i) & 0xff, bytes);
  }
  pthread_barrier_wait(&together);
  for (int i = 0; i < blocks; ++i) {
    const unsigned char* p = mine[i];
    for (size_t k = 0; k < sizes[i % 4]; ++k) REQUIRE(p[k] == ((seed + (uint64_t)i) & 0xff));
    free(mine[i]);
  }
}

static void end_of_thread(void* round) {
  if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    REQUIRE(pthread_setspecific(key, (void*)((uintptr_t)round + 1)) == 0);
    return;
  }
  work_together(1);
  for (int i = 0; i < entrusted_blocks; ++i) end_block(entrusted[i]);
}

static void* die(void* unused) {
  end_block(new_block(100));
  REQUIRE(pthread_setspecific(key, (void*)1) == 0);
  return unused;
}

static void* inherit(void* unused) {
  work_together(129);
  return unused;
}

int main(void) {
  end_block(
      new_block(100));  // the heap's own key exists before ours, so its destructor runs before
  REQUIRE(pthread_key_create(&key, end_of_thread) == 0);
  REQUIRE(pthread_barrier_init(&together, NULL, 3) == 0);
  size_t in_use = 0;
  for (int n = 0; n < lives; ++n) {
    uint64_t state = (uint64_t)n + 1;
    for (int i = 0; i < entrusted_blocks; ++i)
      entrusted[i] = new_block(16 + next_number(&state) % 9000);
    pthread_t dying, heir;
    REQUIRE(pthread_create(&dying, NULL, die, NULL) == 0);
    usleep(2000);  // until it waits in its destructor; too early is no failure, only less of a test
    REQUIRE(pthread_create(&heir, NULL, inherit, NULL) == 0);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    REQUIRE(pthread_join(dying, NULL) == 0);
    REQUIRE(pthread_join(heir, NULL) == 0);
    // The last blocks freed have arrived: no batch of a dead thread holds it back.
    const size_t now = mallinfo2().uordblks;
    if (n == 0) in_use = now;
    REQUIRE(now == in_use);
  }
  return 0;
}
