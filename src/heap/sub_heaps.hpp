// First-class heaps: each has a sub-heap, which is a thread heap, in every thread that uses it.
//
// Whatever touches a heap's slabs outside of a call that names the heap, or a block of it, holds
// `heaps_lock`: so the one who destroys it needs no more than its users' promise to be done.
#pragma once

#include "heap/thread_heap.hpp"
#include "os/lock.hpp"
#include "spans/spans.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// A heap of its own: its account has all its spans and direct maps.
struct first_class_heap : spans::account {
  std::uint64_t id = no_heap_id;  // of this life; never used again
  std::size_t place = 0;  // where threads remember their sub-heap of it: offset into the array
  atomic<thread_heap*> subs{nullptr};      // linked by `next`; only grows while the heap is in use
  thread_heap* orphans = nullptr;          // of these, whose thread ended; heaps_lock
  first_class_heap* next = nullptr;        // all that were ever made
  first_class_heap* next_ended = nullptr;  // ended ones, for the next to be made
};

/// Guards who has which sub-heap, and the ends of heaps.
extern os::lock heaps_lock;

/// What a thread remembers at the heap's place: its sub-heap of it if the id agrees.
[[gnu::always_inline]] inline remembered_sub_heap& remembered_in(thread_heap& t,
                                                                 const first_class_heap& f) {
  return *reinterpret_cast<remembered_sub_heap*>(reinterpret_cast<char*>(t.remembered) + f.place);
}

/// Null when there is no memory for it.
first_class_heap* make_first_class_heap();

/// Ends all blocks of the heap. Nobody uses it meanwhile. Stops at a heap that has ended.
void end_all_blocks(first_class_heap& f);

/// Ends the heap with all its blocks; as above.
void end_first_class_heap(first_class_heap& f);

/// Stops the process if the heap has ended.
void require_heap(const char* call, const first_class_heap& f);

/// The sub-heap in which the thread of `t` works with `f`: remembered, adopted or made. Null when
/// there is no memory for one. In a slow section of `t`.
thread_heap* sub_heap_here(thread_heap& t, first_class_heap& f);

/// A block of class `c` for a thread that has no heap; null when there is no memory.
block* pop_without_thread(first_class_heap& f, std::size_t c);

/// Leaves the sub-heaps of a thread that ends, or lets go of what is free in them.
void abandon_sub_heaps(thread_heap& t);
void shed_sub_heaps(thread_heap& t);

/// Visits the sub-heaps of all heaps, or of a few, each time the next ones: there may be thousands.
/// None of these ends meanwhile. False: there is none.
bool for_each_sub_heap(void (*visit)(thread_heap& sub));
void for_next_sub_heaps(void (*visit)(thread_heap& sub));

/// Visits the sub-heaps of the heap whose one `sub` is, for a thread that uses the heap.
template <class Visit>
void for_each_sibling(const thread_heap& sub, Visit visit) {
  // acquire pairs with the release when one is added.
  for (thread_heap* h = sub.of->subs.load(acquire); h != nullptr; h = h->next)
    if (!h->frozen.load(relaxed)) visit(*h);
}

/// In a forked child: the sub-heaps of vanished threads are left alone, and no thread's.
void freeze_other_sub_heaps();
void take_frozen_sub_heaps_from_threads();

}  // namespace heapsmith
