// First-class heaps: each has a sub-heap, which is a thread heap, in every thread that uses it.
//
// A call that names a heap, or a block of it, may touch the heap's slabs; any other code that does
// holds `heaps_lock`. So a caller may end a heap as soon as its users have promised to be done.
#pragma once

#include "os/lock.hpp"
#include "slabs/thread_heap.hpp"
#include "spans/spans.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// A heap of its own: its account has all its spans and direct maps.
struct first_class_heap : spans::account {
  std::uint64_t id = no_heap_id;           // of this life; never used again
  std::size_t remembered_at = 0;           // offset into thread_heap::remembered, in bytes
  atomic<thread_heap*> subs{nullptr};      // linked by `next`; only grows while the heap is in use
  thread_heap* orphans = nullptr;          // of these, whose thread ended; heaps_lock
  first_class_heap* next = nullptr;        // all that were ever made
  first_class_heap* next_ended = nullptr;  // ended ones, for the next to be made
};

/// Guards who has which sub-heap, and the ends of heaps.
extern os::lock heaps_lock;

/// The entry in which a thread remembers its sub-heap of `f`; of another heap if the ids differ.
[[gnu::always_inline]] inline remembered_sub_heap& remembered_in(thread_heap& t,
                                                                 const first_class_heap& f) {
  return *reinterpret_cast<remembered_sub_heap*>(reinterpret_cast<char*>(t.remembered) +
                                                 f.remembered_at);
}

/// The first-class heap of a sub-heap; not for the process's heap.
inline first_class_heap& heap_of(const thread_heap& sub) {
  return *static_cast<first_class_heap*>(sub.account);
}

/// The sub-heap in which the thread of `t` works with `f`: remembered, adopted or made. Null when
/// out of memory. In a slow section of `t`.
thread_heap* sub_heap_here(thread_heap& t, first_class_heap& f);

/// A sub-heap of `f` that no thread has, locked, for a thread that has no heap. It is left as the
/// end of a thread leaves one.
class unattended_sub_heap_use {
 public:
  explicit unattended_sub_heap_use(first_class_heap& f);
  ~unattended_sub_heap_use();
  unattended_sub_heap_use(const unattended_sub_heap_use&) = delete;
  unattended_sub_heap_use& operator=(const unattended_sub_heap_use&) = delete;

  thread_heap* heap() const { return heap_; }  // null when out of memory for it

 private:
  os::lock_guard guard_;
  thread_heap* heap_;
};

/// Leaves the sub-heaps of a thread, or lets go of the free slabs in them.
void abandon_sub_heaps(thread_heap& t);
void abandon_sub_heap_locked(thread_heap& t, first_class_heap& f);  // of one heap; heaps_lock
void shed_sub_heaps(thread_heap& t);

/// Adds a heap to those that are visited, for ever.
void list_heap_locked(first_class_heap& f);

/// Takes all sub-heaps of `f`, whose blocks have ended, from their threads, for other heaps.
void reset_sub_heaps_locked(first_class_heap& f);

/// Whether a thread other than the calling one has a sub-heap of `f`.
bool others_have_subs_locked(const first_class_heap& f);

/// Visits the sub-heaps of all heaps, or of a few, each time the next ones: there may be thousands.
/// None of these heaps ends meanwhile. False: no sub-heap exists.
bool for_each_sub_heap(void (*visit)(thread_heap& sub));
void for_next_sub_heaps(void (*visit)(thread_heap& sub));

/// Visits all sub-heaps of the heap that `sub` belongs to, for a thread that uses the heap.
template <class Visit>
void for_each_sibling(const thread_heap& sub, Visit visit) {
  // acquire pairs with the release when one is added.
  for (thread_heap* h = heap_of(sub).subs.load(acquire); h != nullptr; h = h->next)
    if (!h->frozen.load(relaxed)) visit(*h);
}

/// In a forked child: the sub-heaps of vanished threads are frozen, then taken from those threads.
void freeze_other_sub_heaps();
void disown_frozen_sub_heaps();

}  // namespace heapsmith
