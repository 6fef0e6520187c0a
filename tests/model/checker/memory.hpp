// The memory of one execution under the C++20 model: who may read what, and what that makes known.
#pragma once

#include "checker/clock.hpp"
#include "checker/tape.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace heapsmith::model {

using std::memory_order;

inline constexpr unsigned location_max = 64;

using store_index = std::uint16_t;     // into the stores of the execution; 0 means none
using location_index = std::uint16_t;  // into the atomic objects of the execution

/// The knowledge of a thread, which a store hands to the thread that acquires it: the events that
/// happen before (clock), and for each atomic object the newest store that coherence lets it see
/// (seen).
struct knowledge {
  vector_clock clock;
  std::array<store_index, location_max> seen{};
};

/// One side effect on an atomic object.
struct store {
  std::uint64_t value;
  std::uint64_t name;    // the same in every interleaving: thread and number of its operation
  std::uint16_t rank;    // position in the modification order
  std::uint16_t writer;  // thread
  bool rmw;            // written by a read-modify-write, so nothing comes between it and its source
  knowledge released;  // what an acquire that reads it learns, by its own release, a release
                       // fence before it, or the release sequence it continues
};

/// How a compare-exchange went, or what a read-modify-write read.
struct read_result {
  std::uint64_t value;
  store_index from;
  bool success;
};

/// Stores are placed into each object's modification order where coherence allows, not only at its
/// end, and a load may read any store coherence does not hide: together with all interleavings that
/// is every execution of the C++20 model except those in which a thread acts on a value that
/// depends on its own act (load buffering, which no compiler that keeps dependencies produces).
class memory {
 public:
  explicit memory(tape& t) : tape_(t) {}

  void reset();

  /// A new object whose first value everybody sees; `key` names it the same way in every
  /// interleaving.
  location_index create(std::uint64_t key, std::uint64_t value);
  /// The object's life ends: every access must happen before. Returns the thread of one that does
  /// not, or thread_max.
  unsigned unordered_access(unsigned thread, location_index at) const;

  read_result load(unsigned thread, location_index at, memory_order order);
  /// Reads the newest value, as a kernel that compares under its own lock; orders nothing.
  store_index load_latest(unsigned thread, location_index at) {
    read(thread, at, std::memory_order_relaxed, latest(at));
    return latest(at);
  }
  store_index write(unsigned thread, location_index at, memory_order order, std::uint64_t value);
  /// Chooses what a read-modify-write reads; the caller then calls rmw_write.
  read_result rmw_read(unsigned thread, location_index at, memory_order order);
  store_index rmw_write(unsigned thread, location_index at, memory_order order, std::uint64_t value,
                        store_index from);
  /// The read of a compare-exchange: success when it found `expected` and is to write.
  read_result compare_read(unsigned thread, location_index at, std::uint64_t expected,
                           memory_order success, memory_order failure, bool may_fail_spuriously);
  void fence(unsigned thread, memory_order order);

  void start(unsigned parent, unsigned child);
  void finish(unsigned parent, unsigned child);
  /// Ends an operation: later events of the thread are newer than those it released.
  void tick(unsigned thread);

  const vector_clock& clock(unsigned thread) const { return threads_[thread].now.clock; }
  store_index latest(location_index at) const { return orders_[at].back(); }
  const store& at(store_index s) const { return stores_[s]; }
  std::uint64_t hash() const;

 private:
  struct thread_state {
    knowledge now;
    knowledge pending;   // learnt by an acquire fence: what relaxed loads read
    knowledge released;  // given by a relaxed store: what the last release fence covered
    std::uint16_t operations = 0;
  };

  struct place {
    store_index from;
    bool success;  // of a compare-exchange
  };

  unsigned floor(unsigned thread, location_index at, memory_order order) const;
  bool rmw_can_follow(location_index at, unsigned rank) const;
  store_index choose_place(unsigned thread, location_index at, memory_order order);
  void read(unsigned thread, location_index at, memory_order order, store_index from);
  store_index insert(unsigned thread, location_index at, memory_order order, std::uint64_t value,
                     unsigned rank, store_index source);
  void learn(knowledge& into, const knowledge& from) const;
  void see(knowledge& into, location_index at, store_index s) const;

  tape& tape_;
  std::vector<store> stores_;
  std::vector<std::vector<store_index>> orders_;  // per object: its modification order
  std::vector<std::uint64_t> keys_;
  std::vector<std::array<std::uint16_t, thread_max>> accesses_;  // per object: each thread's last
  std::array<thread_state, thread_max> threads_;
  std::vector<place> places_;  // scratch of a choice
  knowledge sequential_;       // what seq_cst operations so far have in common
};

}  // namespace heapsmith::model
