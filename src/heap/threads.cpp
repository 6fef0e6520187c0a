// Heaps are made on a thread's first allocation, outlive the thread, and are adopted whole.
#include "heap/threads.hpp"

#include <limits.h>
#include <pthread.h>

#include <new>

#include "heap/direct_map.hpp"
#include "heap/fork.hpp"
#include "heap/orphans.hpp"
#include "heap/sub_heaps.hpp"
#include "heap/sweep.hpp"
#include "spans/spans.hpp"

namespace heapsmith {

constinit slab no_slab;
constinit thread_heap empty_heap;
thread_local constinit thread_heap* t_heap = &empty_heap;
thread_local constinit thread_phase t_phase = thread_phase::fresh;

constinit atomic<thread_heap*> all_heaps{nullptr};

namespace {

constinit os::lock shared_lock{os::lock_rank::shared_heap};
constinit thread_heap* shared_heap = nullptr;

pthread_key_t end_key;
// Release when made, acquire when used: the key was written before.
constinit atomic<bool> end_key_made{false};
constinit bool watching = false;

thread_heap* make_heap() {
  void* memory = spans::take_metadata(sizeof(thread_heap));
  if (memory == nullptr) return nullptr;
  auto* h = new (memory) thread_heap;
  h->token = reinterpret_cast<owner_token>(h);  // until a thread has it
  h->next = all_heaps.load(relaxed);            // a guess; the exchange checks it
  // release pairs with for_each_heap(): the heap is complete before it is listed.
  while (!all_heaps.compare_exchange_weak(h->next, h, release, relaxed)) {
  }
  return h;
}

void abandon(thread_heap* h) {
  {
    const slow_section section(h);
    abandon_sub_heaps(*h);
    publish_all(*h);
  }
  add_orphan(*h);
}

/// Runs among the destructors of thread-specific data. Others may still allocate after it, so it
/// re-arms itself until the last round but one: the last is left to tools that watch threads end,
/// and what still allocates there has the shared heap.
constexpr unsigned last_round = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
void on_thread_end(void* heap) {
  auto* h = static_cast<thread_heap*>(heap);
  if (++h->exit_rounds < last_round && pthread_setspecific(end_key, h) == 0) return;
  h->exit_rounds = 0;
  // From here on the thread has no heap: what libc still frees goes home as remote blocks.
  t_phase = thread_phase::exited;
  t_heap = &empty_heap;
  abandon(h);
}

}  // namespace

void start_watching_threads() {
  // The first threads may come here together.
  const os::lock_guard guard(orphans_lock);
  if (watching) return;
  watching = true;
  watch_forks();
  if (pthread_key_create(&end_key, on_thread_end) == 0) end_key_made.store(true, release);
}

thread_heap* this_thread_heap(thread_heap* wanted) {
  notice_fork();
  if (t_heap != &empty_heap) [[likely]] {
    // A thread without a heap may have noticed the fork, and frozen all of them.
    if (t_heap->frozen.load(relaxed)) [[unlikely]]
      t_heap->frozen.store(false, relaxed);
    return t_heap;
  }
  if (t_phase != thread_phase::fresh) return nullptr;
  t_phase = thread_phase::starting;  // the key and its value may allocate: served elsewhere
  if (!end_key_made.load(acquire)) start_watching_threads();
  thread_heap* h = adopt_orphan(wanted);
  if (h == nullptr) h = make_heap();
  if (h == nullptr) {
    t_phase = thread_phase::fresh;
    return nullptr;
  }
  h->token = os::thread_token();
  if (end_key_made.load(acquire)) pthread_setspecific(end_key, h);
  t_heap = h;
  t_phase = thread_phase::running;
  return h;
}

bool interrupts_the_heap() {
  return t_heap->busy || t_phase == thread_phase::starting ||
         os::interrupts(spans::the_lock(), the_direct_map_lock(), shared_lock, heaps_lock);
}

shared_heap_use::shared_heap_use() : guard_(shared_lock) {
  if (shared_heap == nullptr) shared_heap = make_heap();
  heap_ = shared_heap;
}

void drop_shared_heap() {
  if (shared_heap != nullptr) shared_heap->frozen.store(true, relaxed);
  shared_heap = nullptr;
}

os::lock& the_shared_lock() {
  return shared_lock;
}

void freeze_other_heaps(const thread_heap* mine) {
  for (thread_heap* h = all_heaps.load(relaxed); h != nullptr; h = h->next) {
    if (h != mine && h != shared_heap && !h->is_orphan) h->frozen.store(true, relaxed);
  }
  relink_orphans();
  freeze_other_sub_heaps();
}

/// A thread of the child may get the stack, and so the thread pointer, of one that is gone: the
/// slabs of that one's heap, perhaps half-changed, must not look like its own.
void take_tokens_from_frozen_slabs() {
  take_frozen_sub_heaps_from_threads();
  for (std::size_t k = 0; k < spans::range_count.load(relaxed); ++k) {
    const spans::range& r = spans::ranges[k];
    for (slab *s = r.records, *end = s + r.committed(); s != end; ++s) {
      if (s->kind != slice_kind::slab || s->owner.load(relaxed) == nobody_owns) continue;
      if (s->home.load(relaxed)->frozen.load(relaxed)) s->owner.store(vanished_owns, relaxed);
    }
  }
}

}  // namespace heapsmith
