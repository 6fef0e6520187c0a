// The state of a replay: of all its threads, and of each one.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/atomic.hpp"
#include "calls.hpp"
#include "families.hpp"
#include "latency.hpp"
#include "memory.hpp"
#include "parking.hpp"
#include "plan.hpp"
#include "slots.hpp"
#include "touch.hpp"
#include "windows.hpp"

namespace heapsmith::replayer {

struct player;

/// The state that all threads of a replay share.
struct stage {
  allocator calls;
  touch touches;
  bool is_timed;    // one call in 64
  bool is_sampled;  // memory, at the samples of the plan
  bool is_paced;    // samples come no earlier than they were recorded
  int plan;         // a file
  std::uint32_t threads;
  std::uint64_t began_ns;  // of CLOCK_MONOTONIC
  std::uint32_t pass;
  slot_table slots;
  player* players;  // by number of the thread
  windows order;
  parking_lot starts{parking_lot::until_a_look};  // of threads, by number
  latency allocations, frees;
  memory_log memory;
  atomic<std::uint32_t> running;     // threads that are started and have not made their last call
  atomic<std::uint64_t> wait_count;  // of the clock, of all threads
  atomic<std::uint64_t> cpu_ns;
  atomic<std::uint64_t> refused;  // allocations that returned null
};

/// A thread of the replay.
struct player {
  stage* shared;
  lane* lanes;                // by treatment
  std::uint64_t first_piece;  // bit 0: it stays until the others are done
  stream calls;
  bool is_begun = false;  // by prepare()
  /// Stored by the thread that starts this one, and taken by the one that waits for its end.
  atomic<pthread_t> handle{0};
};

}  // namespace heapsmith::replayer
