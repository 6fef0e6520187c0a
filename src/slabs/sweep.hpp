// Letting go of slabs: when memory is short, when a purge is asked for, when a thread ends.
//
// All functions work on the heap they are given, for a thread that may work on it as its owner.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Lets go of the slabs in the bins whose blocks are all free, here or in the remote word. With
/// `collects` also takes in what other threads freed: then no slab becomes wholly free unnoticed
/// until they free again. Complexity: a step for each slab in the bins, and for each such block.
void sweep_bins(thread_heap& h, bool collects = false);

/// Sends home the blocks of others, takes in those that came back, and lets go of every slab that
/// is wholly free then.
void shed_free_slabs(thread_heap& h);

/// Releases the OS pages within the free blocks of a middle class that others keep in their slabs:
/// each once, until it is used again. Complexity: a step for each of them.
void release_free_blocks(thread_heap& h, std::size_t c);

/// The heap's thread has ended: no thread owns its slabs, and `h.posted` has them. So each ends
/// when its last block is freed, and until then serves the thread that adopts the heap, or one that
/// needs a slab. Blocks of others are sent home first.
void publish_all(thread_heap& h);

}  // namespace heapsmith
