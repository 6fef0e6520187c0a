// Heaps are made on a thread's first allocation, outlive the thread, and are adopted whole.
#include "threads/threads.hpp"

#include <limits.h>
#include <pthread.h>

#include "slabs/sweep.hpp"
#include "threads/all_heaps.hpp"
#include "threads/fork.hpp"
#include "threads/orphans.hpp"
#include "threads/shared_heap.hpp"
#include "threads/slow_section.hpp"
#include "threads/sub_heaps.hpp"

namespace heapsmith {

namespace {

pthread_key_t end_key;
// Release when made, acquire when used: the key was written before.
constinit atomic<bool> end_key_made{false};
constinit bool watching = false;

void abandon(thread_heap* h) {
  {
    const slow_section section(h);
    return_cached(*h);
    h->budget = {};  // its blocks are the next thread's no more than any other's
    abandon_sub_heaps(*h);
    publish_all(*h);
  }
  add_orphan(*h);
}

/// Runs among the destructors of thread-specific data. Others may still allocate after it, so it
/// re-arms itself until the last round but one: the last is left to tools that watch threads end,
/// and calls that still allocate there use the shared heap.
constexpr unsigned last_round = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
void on_thread_end(void* heap) {
  auto* h = static_cast<thread_heap*>(heap);
  if (++h->exit_rounds < last_round && pthread_setspecific(end_key, h) == 0) return;
  h->exit_rounds = 0;
  // From here on the thread has no heap: blocks that libc still frees are sent home as remote ones.
  t_phase = thread_phase::exited;
  t_heap = &empty_heap;
  const bool others_work = threads_with_heaps.fetch_sub(1, relaxed) > 2;
  abandon(h);
  // A list that is not counted yet is for the next thread that ends, or the end of a purge delay.
  if (!others_work && middle_bytes.in_depot.load(relaxed) != 0) empty_depot();
}

}  // namespace

constinit atomic<void (*)()> before_first_heap{nullptr};

/// When the process starts, or with the first block before that: a filter of system calls that the
/// program sets later may know no advice but what libc's malloc gives.
[[gnu::constructor]] void start_watching_threads() {
  // What libc allocates here is served elsewhere.
  const thread_phase before = t_phase;
  if (before == thread_phase::fresh) t_phase = thread_phase::starting;
  {
    // The first threads may come here together.
    const os::lock_guard guard(orphans_lock);
    if (!watching) {
      watching = true;
      watch_forks();
      if (pthread_key_create(&end_key, on_thread_end) == 0) end_key_made.store(true, release);
    }
  }
  t_phase = before;
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
  if (h == nullptr) {
    // relaxed: the exchange elects one thread, and the call reads what was written when the library
    // was loaded.
    if (auto* const call = before_first_heap.exchange(nullptr, relaxed)) call();
    h = make_heap();
  }
  if (h == nullptr) {
    t_phase = thread_phase::fresh;
    return nullptr;
  }
  h->token = os::thread_token();
  if (end_key_made.load(acquire)) pthread_setspecific(end_key, h);
  t_heap = h;
  threads_with_heaps.fetch_add(1, relaxed);
  t_phase = thread_phase::running;
  return h;
}

}  // namespace heapsmith
