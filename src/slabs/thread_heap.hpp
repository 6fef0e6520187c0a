// A thread's heap: the slab of each class that malloc pops from, and others. docs/design/slabs.md
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/size_classes.hpp"
#include "slabs/kept.hpp"
#include "slabs/posted_stack.hpp"
#include "slabs/slab.hpp"
#include "slabs/thread_cache.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Occupancy bins a class: slabs with free blocks wait by how full they are; see slabs/bins.hpp.
inline constexpr unsigned bin_count = 5;

/// Blocks of one foreign slab on their way home; see slabs/remote_free.cpp.
struct outgoing_batch {
  slab* to = nullptr;  // null: no block is here
  block* first = nullptr;
  block* last = nullptr;
  std::uint32_t room = 0;     // how many blocks may still join
  std::uint32_t inverse = 0;  // of the slab's class; see index_if_start()
};
inline constexpr unsigned outgoing_slots = 32;

/// Blocks of foreign slabs that this thread freed and may use again itself: they are in its cache,
/// and threads that free each other's blocks stay in balance. Of small classes, and bounded by
/// class; see remote_free.cpp.
struct borrowed_blocks {
  block* first = nullptr;
  std::uint32_t room = 0;     // how many more; 0 in classes that the thread does not allocate
  std::uint32_t inverse = 0;  // of the class; see index_if_start()
};

/// Never empty, never full: the slab of a class that has none. malloc finds no block in it and
/// goes the slow way, so that no heap needs a null test. Nothing ever writes to it.
extern slab no_slab;

/// Where a thread remembers its sub-heaps of first-class heaps: by number, for a few.
struct remembered_sub_heap {
  std::uint64_t id = 0;
  thread_heap* sub = nullptr;
};
inline constexpr std::size_t remembered_sub_heaps = 8;
inline constexpr std::uint64_t no_heap_id = 0;               // no heap has it
inline constexpr std::uint64_t ended_heap_id = ~no_heap_id;  // no thread remembers it

/// One object in the order in which the paths read it. `next` and the fields from `is_orphan` to
/// `thread` are used by src/threads alone, `remembered`, `busy`, `frozen`, `exit_rounds`,
/// `purge_seen` and `searched_at` by the layers above this one.
///
/// A program that needs a few classes touches what lies before `reported`, and the first of these;
/// no slab of it is in a bin. Its heap begins an OS page and takes no other.
struct thread_heap {
  // malloc reads these: the class's current slab, by 16-byte step and by class.
  slab* direct[direct_slots];
  slab* current[class_count] = {};

  // Allocation from first-class heaps reads this before; see threads/sub_heaps.hpp.
  remembered_sub_heap remembered[remembered_sub_heaps] = {};

  owner_token token = nobody_owns;   // in the `owner` of its slabs
  bool busy = false;                 // in a slow path: a call that finds it set interrupts one
  atomic<bool> frozen{false};        // its thread vanished in a fork: it is not used again
  std::uint32_t outgoing_count = 0;  // batches in `outgoing` that have a block
  // [slab::borrow_slot], in a heap that is no sub-heap; [0] stays empty.
  borrowed_blocks borrowed[first_middle + 1] = {};
  block* cached[middle_count] = {};  // [class - first_middle]
  cache_budget budget;
  std::uint8_t returned_last = 0;  // the middle class whose blocks went back last

  kept_spans kept;
  std::uint32_t ticks_until_look = 0;        // see tick() in heap/reclaim.hpp
  std::uint64_t looked_ms = 0;               // at the clock
  std::uint8_t set_aside[class_count] = {};  // the slot of the class's last current slab + 1, or 0
  std::uint8_t calm[class_count] = {};       // returns of its slab; see grow_calm()
  std::uint8_t shortage[class_count] = {};   // of slabs; see note_shortage()

  thread_heap* next_asked = nullptr;  // for posted slabs, in the list of all heaps or siblings

  std::uint32_t binned = 0;  // slabs in the bins
  unsigned exit_rounds = 0;  // rounds of thread-specific destructors seen
  std::uint32_t purge_seen = 0;
  atomic<std::uint64_t> came_back{0};  // counted by its thread; see slabs/came_back.hpp
  std::uint64_t searched_at = 0;       // see reclaim_before_refusal()
  thread_heap* next = nullptr;         // all heaps, never removed; or all sub-heaps of one heap
  bool is_orphan = false;              // it has no thread; see threads/orphans.hpp
  thread_heap* older = nullptr;        // orphans, or those of one heap's sub-heaps
  thread_heap* newer = nullptr;

  // A thread's own heap lists the thread's sub-heaps. Those name their first-class heap, and the
  // thread that works with them: written by that thread, which alone finds itself there.
  thread_heap* subs = nullptr;
  thread_heap* next_of_thread = nullptr;
  thread_heap** link_to_me = nullptr;
  spans::account* account = nullptr;  // of the first-class heap; null: the process's heap
  atomic<owner_token> thread{nobody_owns};

  // Slabs that got enough blocks back from other threads, which write here: on lines of their own.
  alignas(64) posted_stack reported;  // slabs of this heap
  posted_stack posted[class_count];   // full ones, which any heap may take

  alignas(64) outgoing_batch outgoing[outgoing_slots] = {};
  slab* bins[class_count][bin_count] = {};

  bool owns(const slab* s) const { return s->owner.load(relaxed) == token; }

  /// One that is never worked with leaves `current` null: each pointer to a slab would be a
  /// relocation, which all processes pay for.
  constexpr explicit thread_heap(bool works = true) { start(works); }

  /// A new heap in memory that reads as zero, which is what a heap has in most of its fields: their
  /// OS pages stay untouched.
  static thread_heap* in_zeroed(void* memory);

 private:
  /// Sets the fields that are not zero.
  constexpr void start(bool works = true) {
    static_assert(offsetof(thread_heap, reported) < 4096);
    for (slab*& s : direct) s = &no_slab;
    if (works)
      for (slab*& s : current) s = &no_slab;
    for (std::size_t c = 0; c < first_middle; ++c) borrowed[c + 1].inverse = class_table[c].inverse;
  }
};

/// The heap of a thread that has none yet, or none any more: every class has `no_slab`.
extern thread_heap empty_heap;

// Initial-exec: one load from a fixed offset, and no lazily allocated TLS block. Such variables are
// few and small: dlopened objects share a small surplus of memory for them.
extern thread_local constinit thread_heap* t_heap;

}  // namespace heapsmith
