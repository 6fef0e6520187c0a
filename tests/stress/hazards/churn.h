// Threads that allocate and free without pause, leaving blocks in slots where anyone may take them.
#ifndef CHURN_H
#define CHURN_H

#include <pthread.h>

#include "hazard.h"

enum { churn_threads = 4, churn_slots = 64 };

static void* churn_slot[churn_slots];
static int churn_over;
static pthread_t churning[churn_threads];

static inline void churn_once(uint64_t* state) {
  void* p = new_block(some_size(state));
  void** slot = &churn_slot[next_number(state) % churn_slots];
  end_block(__atomic_exchange_n(slot, p, __ATOMIC_ACQ_REL));
}

static void* churn(void* seed) {
  uint64_t state = (uint64_t)(uintptr_t)seed * 0x9e3779b97f4a7c15u + 1;
  while (!__atomic_load_n(&churn_over, __ATOMIC_RELAXED)) churn_once(&state);
  return NULL;
}

static inline void start_churning(int threads) {
  for (int i = 0; i < threads; ++i)
    REQUIRE(pthread_create(&churning[i], NULL, churn, (void*)(uintptr_t)(i + 1)) == 0);
}

static inline void free_slots(void) {
  for (int i = 0; i < churn_slots; ++i)
    end_block(__atomic_exchange_n(&churn_slot[i], NULL, __ATOMIC_ACQ_REL));
}

static inline void stop_churning(int threads) {
  __atomic_store_n(&churn_over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < threads; ++i) REQUIRE(pthread_join(churning[i], NULL) == 0);
  free_slots();
}

#endif
