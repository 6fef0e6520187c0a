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

/// Which locks this fork took: not those its own thread held already, because a signal handler
/// forked inside a slow path. Written and read by the forking thread while it holds the first.
constinit thread_local bool took[lock_count] = {};

// libc's own lock over all FILEs: fork takes it after the handlers, and a thread that holds it may
// be waiting for us in malloc. So it comes first. Weak: another libc may not have it.
extern "C" [[gnu::weak]] void _IO_list_lock();
extern "C" [[gnu::weak]] void _IO_list_unlock();
extern "C" [[gnu::weak]] void _IO_list_resetlock();
constinit thread_local bool took_files = false;

void before_fork() {
  if (os::single_threaded()) return;
  if (_IO_list_lock != nullptr) {
    _IO_list_lock();
    took_files = true;
  }
  for (unsigned i = 0; i < lock_count; ++i) {
    took[i] = !lock_number(i).held_here();
    if (took[i]) lock_number(i).acquire();
  }
}

void after_fork_in_parent() {
  for (unsigned i = lock_count; i-- > 0;) {
    if (took[i]) lock_number(i).release();
    took[i] = false;
  }
  if (took_files) _IO_list_unlock();
  took_files = false;
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
  if (the_shared_lock().held_by_anyone()) drop_shared_heap();
  after_fork_in_child();
}

void after_fork_in_child() {
  if (took_files) _IO_list_resetlock();
  took_files = false;
  for (unsigned i = 0; i < lock_count; ++i) {
    os::lock& l = lock_number(i);
    if (took[i] || !l.held_here()) l.reset_in_child();
    took[i] = false;
  }
  if (std::uint32_t* page = detector.load(relaxed)) *page = noticed;  // the child has one thread
  freeze_other_heaps(t_heap);
}

}  // namespace heapsmith
