// fork: what parent and child do so that both can allocate at once.
#pragma once

#include <cstddef>

#include "heap/thread_heap.hpp"
#include "os/lock.hpp"

namespace heapsmith {

/// Registers the handlers, and the page that notices children no handler ran in.
void watch_forks();

/// In a child made by _Fork or clone, where no handler ran, does what the handler would have done.
/// Slow paths and large blocks begin with it: two loads when there is nothing to notice.
void notice_fork();

/// Defined by heap/threads.cpp, which has the heaps, for the child.
os::lock& the_shared_lock();
void freeze_other_heaps(const thread_heap* mine);
void take_tokens_from_frozen_slabs();
void drop_shared_heap();

}  // namespace heapsmith
