// First-class heaps begin, reset and end: docs/paths/heap.md, docs/design/first-class-heaps.md
#include "heap/first_class.hpp"

#include <new>

#include "heapsmith/detail/check.hpp"
#include "os/diagnose.hpp"
#include "slabs/slabs.hpp"
#include "spans/direct_maps.hpp"
#include "threads/fork.hpp"
#include "threads/slow_section.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

// Guarded by heaps_lock. Ended heaps are reused in the order in which they ended: so a handle that
// is used too late is noticed for as long as possible.
constinit first_class_heap* first_ended = nullptr;
constinit first_class_heap* last_ended = nullptr;
constinit std::uint64_t last_id = no_heap_id;
constinit std::uint32_t heaps_made = 0;

// Heaps that were left to their blocks, in the order in which they were left; heaps_lock.
constinit first_class_heap* first_left = nullptr;
constinit first_class_heap* last_left = nullptr;

void keep_left_locked(first_class_heap& f) {
  f.next_ended = nullptr;
  (last_left != nullptr ? last_left->next_ended : first_left) = &f;
  last_left = &f;
}

/// A heap that was left, has no memory any more, and no sub-heap in another thread: such a thread
/// may have freed the last block, and still be at work in its sub-heap when the heap ends again.
/// Complexity: a look at left_at_once heaps, each time at the next ones, and at the sub-heaps of
/// those that have no memory.
constexpr unsigned left_at_once = 8;
first_class_heap* pop_left_locked() {
  for (unsigned n = 0; n < left_at_once && first_left != nullptr; ++n) {
    first_class_heap* const f = first_left;
    first_left = f->next_ended;
    if (first_left == nullptr) last_left = nullptr;
    if (!spans::holds_anything(*f) && !others_have_subs_locked(*f)) return f;
    keep_left_locked(*f);
  }
  return nullptr;
}

first_class_heap* pop_ended_locked() {
  first_class_heap* f = first_ended;
  if (f == nullptr) return nullptr;
  first_ended = f->next_ended;
  if (first_ended == nullptr) last_ended = nullptr;
  return f;
}

void keep_ended_locked(first_class_heap& f) {
  f.next_ended = nullptr;
  (last_ended != nullptr ? last_ended->next_ended : first_ended) = &f;
  last_ended = &f;
}

/// Ends all blocks of a heap, which has another id from now on: what threads remember is stale.
void end_blocks_locked(const char* call, first_class_heap& f, std::uint64_t id) {
  require_heap(call, f);
  f.id = id;
  reset_sub_heaps_locked(f);
  spans::direct_unmap_all(f);
  spans::give_all(f, forget_span);
  HS_ASSERT(f.held == 0 && f.direct == 0 && f.first == nullptr);
}

/// Aborts in a signal handler that interrupted an allocator: to wait for a lock could deadlock.
void require_no_interruption(const char* call, const first_class_heap& f) {
  if (interrupts_the_heap())
    os::abort_misuse(call, &f, "a signal handler interrupted an allocator");
}

}  // namespace

first_class_heap* make_first_class_heap() {
  notice_fork();
  if (interrupts_the_heap()) return nullptr;
  const os::lock_guard guard(heaps_lock);
  if (first_class_heap* f = pop_left_locked()) {
    spans::reset_account(*f);
    return f;
  }
  first_class_heap* f = pop_ended_locked();
  if (f == nullptr) {
    void* memory = spans::allocate_metadata(sizeof(first_class_heap));
    if (memory == nullptr) return nullptr;
    f = new (memory) first_class_heap;
    f->remembered_at = heaps_made++ % remembered_sub_heaps * sizeof(remembered_sub_heap);
    list_heap_locked(*f);
  }
  f->peak = f->limit = 0;
  f->id = ++last_id;
  return f;
}

void require_heap(const char* call, const first_class_heap& f) {
  if (f.id == ended_heap_id) os::abort_misuse(call, &f, "the heap was destroyed before");
}

void end_all_blocks(first_class_heap& f) {
  constexpr char call[] = "hs_heap_reset";
  notice_fork();
  require_no_interruption(call, f);
  const os::lock_guard guard(heaps_lock);
  end_blocks_locked(call, f, ++last_id);
}

void end_first_class_heap(first_class_heap& f) {
  constexpr char call[] = "hs_heap_destroy";
  notice_fork();
  require_no_interruption(call, f);
  const os::lock_guard guard(heaps_lock);
  end_blocks_locked(call, f, ended_heap_id);
  keep_ended_locked(f);
}

void leave_first_class_heap(first_class_heap& f) {
  constexpr char call[] = "mi_heap_delete";
  notice_fork();
  require_no_interruption(call, f);
  thread_heap* const t = this_thread_heap();
  const slow_section section(t);
  const os::lock_guard guard(heaps_lock);
  require_heap(call, f);
  if (section) abandon_sub_heap_locked(*t, f);
  keep_left_locked(f);
}

}  // namespace heapsmith
