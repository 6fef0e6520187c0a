// Heaps whose threads have ended, in the order of their ends, until a new thread adopts them.
#pragma once

#include "os/lock.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Guards the orphans; the next two functions take it.
extern os::lock orphans_lock;

/// `h` has no thread any more.
void add_orphan(thread_heap& h);

/// A heap for a new thread; null if no orphan exists.
///
/// A thread that begins by freeing a block of heap `wanted` goes on with what that heap's thread
/// did: it adopts that very heap, so the blocks it will free are its own. Otherwise it adopts
/// the heap that has been without a thread for longest: the others' successors may be about to
/// start. A thread that begins by allocating (`wanted` is null) adopts the one orphaned last,
/// whose slabs are still warm.
thread_heap* adopt_orphan(thread_heap* wanted);

/// Rebuilds the list in a forked child, whose other threads may have vanished while they changed
/// it. The flags of the heaps are right at every instant. Takes no lock: one thread does it, and
/// any others wait for that one.
void relink_orphans();

}  // namespace heapsmith
