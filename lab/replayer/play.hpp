// Plays the calls of one thread.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/atomic.hpp"
#include "calls.hpp"
#include "families.hpp"
#include "latency.hpp"
#include "memory.hpp"
#include "plan.hpp"
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
  /// The addresses of blocks: 48 bits of an address, 16 bits that count the slot's blocks.
  atomic<std::uint64_t>* slots;
  player* players;  // by number of the thread
  windows order;
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

/// Effects: makes the first `calls` calls of a thread, which allocate. They are not measured.
void prepare(player& who, std::uint64_t calls);

/// Effects: makes all calls of a thread, and waits for the others if it stays.
void play(player& who);

}  // namespace heapsmith::replayer
