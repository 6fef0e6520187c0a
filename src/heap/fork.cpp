// fork: locks are held across it, so that the child's memory is not half-changed.
#include "heap/fork.hpp"

#include <pthread.h>

#include "heap/direct_map.hpp"
#include "heap/threads.hpp"
#include "os/os.hpp"
#include "spans/spans.hpp"

namespace heapsmith {
namespace {

/// The detector page holds this where handlers know of the process; a wiped page reads 0.
constexpr std::uint32_t noticed = 1;
constinit atomic<std::uint32_t*> detector{nullptr};

/// In locking order.
constexpr unsigned lock_count = 4;
os::lock& lock_number(unsigned i) {
  switch (i) {
    case 0:
      return the_shared_lock();
    case 1:
      return orphans_lock;
    case 2:
      return the_direct_map_lock();
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
  if (os::single_threaded()) return;
  // A signal handler forks inside a section of its own thread: waiting for further locks, out of
  // order, could wait for ever. The child makes all of them anew.
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

}  // namespace

void watch_forks() {
  std::uint32_t* page = os::map_fork_detector();
  if (page != nullptr) *page = noticed;
  // release pairs with the acquire in forked_unnoticed(): the page holds the mark when it is found.
  detector.store(page, release);
  os::set_before_waiting([] {
    if (forked_unnoticed()) after_unnoticed_fork();
  });
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool forked_unnoticed() {
  const std::uint32_t* page = detector.load(acquire);
  return page != nullptr && *page != noticed;
}

void after_unnoticed_fork() {
  // Nobody took the locks before this fork: what a vanished thread was changing is half-changed.
  // The shared heap can be done without; the spans' words are as good as a single thread leaves
  // them.
  after_fork_in_child();
}

void after_fork_in_child() {
  // A signal handler forked inside a section of its own; another thread may have been in the shared
  // heap.
  if (!os::holds_all_locks && the_shared_lock().held_by_anyone() && !the_shared_lock().held_here())
    drop_shared_heap();
  if (os::holds_all_locks && _IO_list_resetlock != nullptr) _IO_list_resetlock();
  for (unsigned i = 0; i < lock_count; ++i)
    if (os::holds_all_locks || !lock_number(i).held_here()) lock_number(i).reset_in_child();
  os::holds_all_locks = false;
  if (std::uint32_t* page = detector.load(relaxed)) *page = noticed;  // the child has one thread
  freeze_other_heaps(t_heap);
}

}  // namespace heapsmith
