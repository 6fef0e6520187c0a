// The heap that a thread works with, from its first allocation to after its last destructor.
#pragma once

#include "base/atomic.hpp"
#include "base/hidden.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// The calling thread's heap for a slow path: made or adopted on first use. Null when the thread is
/// past its end, is making its heap right now, or there is no memory for one. `wanted` is the heap
/// whose block the thread came to free, if it did: to be adopted rather than others.
HS_HIDDEN thread_heap* this_thread_heap(thread_heap* wanted = nullptr);

/// Registers what must run when threads end or fork; called once, as early as possible.
void start_watching_threads();

/// Called once, before the next heap is made; may not allocate. Set while the library is loaded,
/// before other threads can call it.
extern atomic<void (*)()> before_first_heap;

}  // namespace heapsmith
