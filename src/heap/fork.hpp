// fork: what parent and child do so that both can allocate at once.
#pragma once

#include <cstddef>

#include "heap/thread_heap.hpp"
#include "os/lock.hpp"

namespace heapsmith {

/// Registers the handlers, and the page that notices children no handler ran in.
void watch_forks();

/// True in a child made by _Fork or clone, until after_fork_in_child() ran.
bool forked_unnoticed();

/// Makes locks anew and gives up the heaps of threads that the child does not have: the handler's
/// part, and the same for a child that none ran in.
void after_fork_in_child();
void after_unnoticed_fork();

/// Defined by heap/threads.cpp, which has the heaps, for the child.
os::lock& the_shared_lock();
void freeze_other_heaps(const thread_heap* mine);
void drop_shared_heap();

}  // namespace heapsmith
