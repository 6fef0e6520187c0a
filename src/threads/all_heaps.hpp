// The heaps of threads: made on demand, listed for ever.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// All heaps ever made, but sub-heaps; none is ever freed.
extern atomic<thread_heap*> all_heaps;

/// A new heap without a thread, in the list; null when out of memory.
thread_heap* make_heap();

/// Visits all heaps whose threads did not vanish in a fork.
template <class Visit>
void for_each_heap(Visit visit) {
  // acquire pairs with the release in make_heap(): a listed heap is complete.
  for (thread_heap* h = all_heaps.load(acquire); h != nullptr; h = h->next)
    if (!h->frozen.load(relaxed)) visit(*h);
}

}  // namespace heapsmith
