// fork: locks are held across it, so that the child's memory is not half-changed.
#include "threads/fork.hpp"

#include <pthread.h>

#include <new>

#include "os/os.hpp"
#include "os/own_thread.hpp"
#include "os/this_thread.hpp"
#include "spans/direct_maps.hpp"
#include "spans/purger.hpp"
#include "threads/all_heaps.hpp"
#include "threads/orphans.hpp"
#include "threads/shared_heap.hpp"
#include "threads/sub_heaps.hpp"

namespace heapsmith {
namespace {

constexpr std::uint32_t unnoticed = 0, noticed = fork_noticed;

/// In locking order.
constexpr unsigned lock_count = 5;
os::lock& lock_number(unsigned i) {
  switch (i) {
    case 0:
      return the_exchange.lock;
    case 1:
      return orphans_lock;
    case 2:
      return heaps_lock;
    case 3:
      return spans::the_direct_map_lock();
    default:
      return spans::the_lock();
  }
}

// libc's own lock over all FILEs: fork takes it after the handlers, and a thread that holds it may
// be waiting for us in malloc. So it comes first. Weak: another libc may not have it.
extern "C" [[gnu::weak]] void _IO_list_lock();
extern "C" [[gnu::weak]] void _IO_list_unlock();
extern "C" [[gnu::weak]] void _IO_list_resetlock();

void before_fork() {
  if (os::single_threaded() && !os::has_own_thread()) return;
  // A signal handler forks inside a section of its own thread: waiting for further locks, out of
  // order, could take for ever. The child resets all of them.
  for (unsigned i = 0; i < lock_count; ++i)
    if (lock_number(i).held_here()) return;
  if (_IO_list_lock != nullptr) _IO_list_lock();
  for (unsigned i = 0; i < lock_count; ++i) lock_number(i).acquire();
  os::holds_all_locks = true;
}

void after_fork_in_parent() {
  if (!os::holds_all_locks) return;
  os::holds_all_locks = false;
  for (unsigned i = lock_count; i-- > 0;) lock_number(i).release();
  if (_IO_list_unlock != nullptr) _IO_list_unlock();
}

void freeze_other_heaps() {
  for (thread_heap* h = all_heaps.load(relaxed); h != nullptr; h = h->next) {
    if (h != t_heap && !is_shared_heap(*h) && !h->is_orphan) h->frozen.store(true, relaxed);
  }
  threads_with_heaps.store(1, relaxed);
  relink_orphans();
  freeze_other_sub_heaps();
}

/// A thread of the child may get the stack, and so the thread pointer, of one that is gone: the
/// slabs of that one's heap, perhaps half-changed, must not look like its own.
void disown_frozen_slabs() {
  disown_frozen_sub_heaps();
  for (std::size_t k = 0; k < spans::range_count.load(relaxed); ++k) {
    const spans::range& r = spans::ranges[k];
    for (spans::record *at = r.records, *end = at + r.committed(); at != end; ++at) {
      slab* const s = slab_in(at);
      if (s->kind != slice_kind::slab || s->owner.load(relaxed) == nobody_owns) continue;
      if (s->home.load(relaxed)->frozen.load(relaxed)) s->owner.store(vanished_owns, relaxed);
    }
  }
}

/// Resets the locks and gives up the heaps of threads that the child does not have.
void mend_child() {
  // A signal handler forked inside a section of its own; another thread may have been in the shared
  // heap.
  if (!os::holds_all_locks && the_exchange.lock.held_by_anyone() && !the_exchange.lock.held_here())
    drop_shared_heap();
  if (os::holds_all_locks && _IO_list_resetlock != nullptr) _IO_list_resetlock();
  for (unsigned i = 0; i < lock_count; ++i)
    if (os::holds_all_locks || !lock_number(i).held_here()) lock_number(i).reset_in_child();
  if (os::holds_all_locks) os::locks_wanted = 0;
  os::holds_all_locks = false;
  spans::forget_purger();
  freeze_other_heaps();
}

void after_fork_in_child() {
  mend_child();
  disown_frozen_slabs();
  if (fork_word* word = fork_detector.load(acquire)) word->store(noticed, relaxed);  // one thread
}

/// No thread took the locks before this fork: changes of vanished threads are half-made. The
/// shared heap can be done without; the spans' words are as good as a single thread leaves them.
void notice_first(fork_word* word) {
  mend_child();
  // The thread that forked may have made this one, which then has no heap yet and cannot know whose
  // is left: that heap thaws in this_thread_heap(), and keeps its slabs.
  if (t_heap != &empty_heap) disown_frozen_slabs();
  // release pairs with the acquire in notice_fork(): the others find locks and heaps mended.
  word->store(noticed, release);
  os::wake_one(word);
}

}  // namespace

constinit atomic<fork_word*> fork_detector{nullptr};

void watch_forks() {
  // release pairs with the acquire in notice_fork(): the page holds the mark when it is found.
  if (void* page = os::map_fork_detector())
    fork_detector.store(new (page) fork_word{noticed}, release);
  os::set_before_waiting(notice_fork);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void notice_fork() {
  if (!has_forked_unnoticed()) [[likely]]
    return;
  fork_word* const word = fork_detector.load(acquire);
  // Of several threads one notices, and the others wait. A signal handler of that one goes on.
  const std::uint32_t mine = os::thread_number() * 2;
  std::uint32_t seen = unnoticed;
  if (word->compare_exchange_strong(seen, mine, acquire, acquire)) return notice_first(word);
  while (seen != noticed && seen != mine) {
    os::wait(word, seen);
    seen = word->load(acquire);
  }
  os::wake_one(word);  // each who waited wakes the next
}

}  // namespace heapsmith
