// The life of a slab between the fast paths: set up, carved, current, full, waiting in a bin,
// empty.
//
// All functions work on the heap they are given, not on the calling thread's: the shared heap and
// orphans are worked on by whoever holds the lock.
#pragma once

#include "heap/thread_heap.hpp"

namespace heapsmith {

/// A current slab's countdown: its pops are not counted, so no count of frees means anything.
inline constexpr std::uint32_t countdown_parked = std::uint32_t{1} << 31;

/// A block of class `c`, from wherever one is free soonest; null when there is no memory.
block* pop_slowly(thread_heap& h, std::size_t c);

/// Frees a block of a slab that `h` owns, as the fast path would.
void push_local(thread_heap& h, slab* s, block* b);

/// An owned slab with `used` blocks in use and the others on its list enters a bin, or is kept
/// or given back when nothing is in use.
void settle(thread_heap& h, slab* s, std::uint32_t used);

/// Ends a slab whose blocks are all free and that lies in no bin: its span goes back.
void give_slab(slab* s);

/// Moves what other threads gave back to the slab's own list. Returns how many blocks came.
std::uint32_t collect_remote(slab* s);

/// Lets go of the slabs in the bins whose blocks are all free, here or in the remote word.
void sweep_bins(thread_heap& h);

/// As sweep_bins(), and current slabs that are wholly free go too, and the kept empty ones.
void sweep_all(thread_heap& h);

/// The heap's thread has ended: its slabs are owned by nobody and can be had from `h.posted`, so
/// that they end when their last block is freed, and serve whoever adopts the heap or needs one of
/// them.
void publish_all(thread_heap& h);

/// Lets go of the kept empty slabs. Any thread.
void drop_kept_empty(thread_heap& h);

/// Makes an unbinned owned slab with a free block the current one of its class.
void make_current(thread_heap& h, slab* s);

}  // namespace heapsmith
