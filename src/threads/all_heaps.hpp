// The heaps of threads: made on demand, listed for ever. docs/design/threads-and-fork.md
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

/// So many heaps are asked in one search, however many there are.
inline constexpr unsigned heaps_asked = 16;

/// Visits a few heaps of a list to which others are added in front, each time the next ones, until
/// `visit` is true for one. `next` is where this call begins, and then where the next one does;
/// null: the first. Complexity: heaps_asked steps.
template <class Visit>
bool any_of_next_heaps(const atomic<thread_heap*>& all, thread_heap*& next, Visit visit) {
  thread_heap* begin = next;
  for (unsigned n = 0; n < heaps_asked; ++n) {
    // acquire pairs with the release when a heap is listed.
    thread_heap* const h = next != nullptr ? next : all.load(acquire);
    if (h == nullptr || (n != 0 && h == begin)) return false;
    if (begin == nullptr) begin = h;
    next = h->next;
    if (!h->frozen.load(relaxed) && visit(*h)) return true;
  }
  return false;
}

}  // namespace heapsmith
