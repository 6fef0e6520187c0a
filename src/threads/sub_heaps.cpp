// Sub-heaps: made and left like threads' heaps, and reset. docs/design/first-class-heaps.md
#include "threads/sub_heaps.hpp"

#include <string.h>

#include "os/os.hpp"
#include "slabs/sweep.hpp"

namespace heapsmith {

constinit os::lock heaps_lock{os::lock_rank::heaps};

namespace {

// release when changed, acquire when walked: a heap found here is complete.
constinit atomic<first_class_heap*> all_first_class{nullptr};

// Guarded by heaps_lock.
constinit thread_heap* spare_subs = nullptr;
constinit first_class_heap* next_visited = nullptr;  // null: the first

/// The number of heaps whose sub-heaps are visited in one call that may not take long.
constexpr unsigned heaps_at_once = 8;

void link_to_thread_locked(thread_heap& t, thread_heap* sub) {
  sub->next_of_thread = t.subs;
  if (t.subs != nullptr) t.subs->link_to_me = &sub->next_of_thread;
  sub->link_to_me = &t.subs;
  t.subs = sub;
}

void unlink_from_thread_locked(thread_heap* sub) {
  if (sub->link_to_me == nullptr) return;
  *sub->link_to_me = sub->next_of_thread;
  if (sub->next_of_thread != nullptr) sub->next_of_thread->link_to_me = sub->link_to_me;
  sub->link_to_me = nullptr;
  sub->next_of_thread = nullptr;
}

/// A new sub-heap of `f`, which no thread has yet.
thread_heap* make_sub_locked(first_class_heap& f) {
  thread_heap* sub = spare_subs;
  if (sub != nullptr) {
    spare_subs = sub->next;
  } else {
    void* memory = spans::allocate_metadata(sizeof(thread_heap));
    if (memory == nullptr) return nullptr;
    sub = thread_heap::in_zeroed(memory);
  }
  sub->account = &f;
  sub->token = reinterpret_cast<owner_token>(sub) | sub_heap_bit;
  sub->next = f.subs.load(relaxed);  // only changed under the lock held here
  // release pairs with the acquire of threads that walk the list without the lock.
  f.subs.store(sub, release);
  return sub;
}

thread_heap* orphan_or_new_locked(first_class_heap& f) {
  thread_heap* sub = f.orphans;
  if (sub == nullptr) return make_sub_locked(f);
  f.orphans = sub->older;
  return sub;
}

void leave_to_orphans_locked(thread_heap* sub) {
  sub->thread.store(nobody_owns, relaxed);  // this thread's, or none
  first_class_heap& f = heap_of(*sub);
  sub->older = f.orphans;
  f.orphans = sub;
}

void visit_subs_locked(const first_class_heap& f, void (*visit)(thread_heap& sub)) {
  for (thread_heap* sub = f.subs.load(relaxed); sub != nullptr; sub = sub->next)
    if (!sub->frozen.load(relaxed)) visit(*sub);
}

thread_heap* find_sub(const first_class_heap& f, owner_token thread) {
  // acquire pairs with make_sub_locked(). A thread that finds itself here wrote that itself.
  for (thread_heap* sub = f.subs.load(acquire); sub != nullptr; sub = sub->next)
    if (sub->thread.load(relaxed) == thread) return sub;
  return nullptr;
}

/// Allocation reads this without a mark that it is under way: a signal handler that comes in
/// between must find the old heap, or none.
void remember(remembered_sub_heap& known, std::uint64_t id, thread_heap* sub) {
  known.id = no_heap_id;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  known.sub = sub;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  known.id = id;
}

}  // namespace

thread_heap* sub_heap_here(thread_heap& t, first_class_heap& f) {
  remembered_sub_heap& known = remembered_in(t, f);
  if (known.id == f.id) [[likely]]
    return known.sub;
  const owner_token me = os::thread_token();
  thread_heap* sub = find_sub(f, me);
  if (sub == nullptr) {
    const os::lock_guard guard(heaps_lock);
    sub = orphan_or_new_locked(f);
    if (sub == nullptr) return nullptr;
    link_to_thread_locked(t, sub);
    sub->thread.store(me, relaxed);
  }
  sub->frozen.store(false, relaxed);  // as in this_thread_heap()
  remember(known, f.id, sub);
  return sub;
}

unattended_sub_heap_use::unattended_sub_heap_use(first_class_heap& f)
    : guard_(heaps_lock), heap_(orphan_or_new_locked(f)) {}

unattended_sub_heap_use::~unattended_sub_heap_use() {
  if (heap_ == nullptr) return;
  publish_all(*heap_);
  leave_to_orphans_locked(heap_);
}

void abandon_sub_heaps(thread_heap& t) {
  for (remembered_sub_heap& known : t.remembered) known = {};
  const os::lock_guard guard(heaps_lock);
  while (thread_heap* sub = t.subs) {
    unlink_from_thread_locked(sub);
    publish_all(*sub);
    leave_to_orphans_locked(sub);
  }
}

void abandon_sub_heap_locked(thread_heap& t, first_class_heap& f) {
  thread_heap* const sub = find_sub(f, os::thread_token());
  if (sub == nullptr) return;
  if (remembered_sub_heap& known = remembered_in(t, f); known.sub == sub) known = {};
  unlink_from_thread_locked(sub);
  publish_all(*sub);
  leave_to_orphans_locked(sub);
}

void shed_sub_heaps(thread_heap& t) {
  if (os::interrupts(heaps_lock)) return;
  const os::lock_guard guard(heaps_lock);
  for (thread_heap* sub = t.subs; sub != nullptr; sub = sub->next_of_thread) shed_free_slabs(*sub);
}

bool others_have_subs_locked(const first_class_heap& f) {
  for (const thread_heap* sub = f.subs.load(relaxed); sub != nullptr; sub = sub->next) {
    const owner_token thread = sub->thread.load(relaxed);  // changed under the lock held here
    if (thread != nobody_owns && thread != os::thread_token()) return true;
  }
  return false;
}

bool for_each_sub_heap(void (*visit)(thread_heap& sub)) {
  if (all_first_class.load(acquire) == nullptr || os::interrupts(heaps_lock)) return false;
  const os::lock_guard guard(heaps_lock);
  for (first_class_heap* f = all_first_class.load(relaxed); f != nullptr; f = f->next)
    visit_subs_locked(*f, visit);
  return true;
}

void for_next_sub_heaps(void (*visit)(thread_heap& sub)) {
  if (all_first_class.load(acquire) == nullptr || os::interrupts(heaps_lock)) return;
  const os::lock_guard guard(heaps_lock);
  const first_class_heap* const begin = next_visited;
  for (unsigned n = 0; n < heaps_at_once; ++n) {
    first_class_heap* const f =
        next_visited != nullptr ? next_visited : all_first_class.load(relaxed);
    visit_subs_locked(*f, visit);
    next_visited = f->next;
    if (next_visited == begin) return;
  }
}

void list_heap_locked(first_class_heap& f) {
  f.next = all_first_class.load(relaxed);
  all_first_class.store(&f, release);
}

void reset_sub_heaps_locked(first_class_heap& f) {
  for (thread_heap *sub = f.subs.load(relaxed), *next; sub != nullptr; sub = next) {
    next = sub->next;
    unlink_from_thread_locked(sub);
    memset(static_cast<void*>(sub), 0, sizeof *sub);
    thread_heap::in_zeroed(sub);
    sub->next = spare_subs;
    spare_subs = sub;
  }
  f.subs.store(nullptr, relaxed);
  f.orphans = nullptr;
}

void freeze_other_sub_heaps() {
  for (first_class_heap* f = all_first_class.load(relaxed); f != nullptr; f = f->next) {
    for (thread_heap* sub = f->subs.load(relaxed); sub != nullptr; sub = sub->next) {
      const owner_token thread = sub->thread.load(relaxed);
      if (thread != nobody_owns) sub->frozen.store(thread != os::thread_token(), relaxed);
    }
  }
}

void disown_frozen_sub_heaps() {
  for (first_class_heap* f = all_first_class.load(relaxed); f != nullptr; f = f->next)
    for (thread_heap* sub = f->subs.load(relaxed); sub != nullptr; sub = sub->next)
      if (sub->frozen.load(relaxed)) sub->thread.store(nobody_owns, relaxed);
}

}  // namespace heapsmith
