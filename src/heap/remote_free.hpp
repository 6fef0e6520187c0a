// Blocks freed by threads that do not own their slab: gathered, carried home, taken in.
#pragma once

#include "heap/thread_heap.hpp"

namespace heapsmith {

/// Frees a block of somebody else's slab: it joins the batch for that slab.
void free_remote(thread_heap& h, slab* s, block* b);

/// Frees such a block at once, for a thread that has no heap or is in a slow path of its own.
void free_remote_now(slab* s, block* b);

/// Sends all batches home.
void flush_outgoing(thread_heap& h);

/// Takes in the full slabs that got blocks back.
void take_posted(thread_heap& h);

/// Looks through any heap's posted slabs: the wholly free ones are given back, those of class `c`
/// move to the bins of `taker`, the others stay posted.
void sift_posted(thread_heap& from, thread_heap& taker, std::size_t c);

/// The first half of that: gives back the wholly free ones.
void give_finished_posted(thread_heap& from);

}  // namespace heapsmith
