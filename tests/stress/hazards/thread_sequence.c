// Ten thousand threads, one after the other: each frees what its predecessor left. RSS stays.
#include <pthread.h>

#include "hazard.h"

enum { threads = 10000, left_blocks = 16 };
static void* left[left_blocks];

static void* live(void* seed) {
  uint64_t state = (uint64_t)(uintptr_t)seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = 0; i < left_blocks; ++i) {
    end_block(left[i]);
    left[i] = new_block(16 + next_number(&state) % 3000);
    end_block(new_block(some_size(&state)));
  }
  return NULL;
}

int main(void) {
  long after_warm_up = 0;
  for (uintptr_t n = 1; n <= threads; ++n) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, live, (void*)n) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    if (n == threads / 10) after_warm_up = resident_kib();
  }
  const long grown = resident_kib() - after_warm_up;
  printf("grew by %ld KiB from %ld\n", grown, after_warm_up);
  return grown < 1024 ? 0 : 1;
}
