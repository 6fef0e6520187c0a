// The heap of threads that have none: past their end, or out of memory for a heap.
#pragma once

#include "os/lock.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Held while the shared heap is used; for fork, and to notice interruptions.
extern os::lock shared_heap_lock;

/// The shared heap, locked; blocks of it are freed as another thread's are.
class shared_heap_use {
 public:
  shared_heap_use();
  shared_heap_use(const shared_heap_use&) = delete;
  shared_heap_use& operator=(const shared_heap_use&) = delete;

  thread_heap* heap() const { return heap_; }  // null when out of memory for it

 private:
  os::lock_guard guard_;
  thread_heap* heap_;
};

bool is_shared_heap(const thread_heap& h);

/// In a forked child, when another thread was in the shared heap: a new one is made on demand.
void drop_shared_heap();

}  // namespace heapsmith
