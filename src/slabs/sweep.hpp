// Letting go of slabs: when memory is short, when a purge is asked for, when a thread ends.
//
// All functions work on the heap they are given, for whoever may work on it as its owner.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Lets go of the slabs in the bins whose blocks are all free, here or in the remote word.
void sweep_bins(thread_heap& h);

/// Sends home what belongs to others, takes in what came back, and lets go of every slab that is
/// wholly free then.
void shed_free_slabs(thread_heap& h);

/// The heap's thread has ended: its slabs are owned by nobody and can be had from `h.posted`, so
/// that they end when their last block is freed, and serve whoever adopts the heap or needs one of
/// them. What belongs to others goes home first.
void publish_all(thread_heap& h);

}  // namespace heapsmith
