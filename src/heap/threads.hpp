// Which heap a thread works with, from its first allocation to after its last destructor.
#pragma once

#include "heap/thread_heap.hpp"
#include "os/lock.hpp"

namespace heapsmith {

/// The calling thread's heap for a slow path: made or adopted on first use. Null when the thread is
/// past its end, is making its heap right now, or no memory is left for one. `wanted` is the heap
/// whose block it came to free, if it did: to be adopted rather than others.
thread_heap* this_thread_heap(thread_heap* wanted = nullptr);

/// Marks the slow path of a thread's own heap; false for whoever interrupts one.
class slow_section {
 public:
  explicit slow_section(thread_heap* h) : heap_(h != nullptr && !h->busy ? h : nullptr) {
    if (heap_ != nullptr) heap_->busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal handler of this thread sees it
  }
  ~slow_section() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (heap_ != nullptr) heap_->busy = false;
  }
  slow_section(const slow_section&) = delete;
  slow_section& operator=(const slow_section&) = delete;

  explicit operator bool() const { return heap_ != nullptr; }

 private:
  thread_heap* heap_;
};

/// True when this thread is inside the heap already, so the caller came by a signal or from libc
/// while a heap is made: nothing may be changed and no lock taken.
bool interrupts_the_heap();

/// The heap of threads that have none: locked, its frees arrive as remote ones.
class shared_heap_use {
 public:
  shared_heap_use();
  shared_heap_use(const shared_heap_use&) = delete;
  shared_heap_use& operator=(const shared_heap_use&) = delete;

  thread_heap* heap() const { return heap_; }  // null when no memory is left for it

 private:
  os::lock_guard guard_;
  thread_heap* heap_;
};

/// All heaps ever made; none is ever freed.
extern atomic<thread_heap*> all_heaps;

template <class Visit>
void for_each_heap(Visit visit) {
  // acquire pairs with the release in make_heap(): a listed heap is complete.
  for (thread_heap* h = all_heaps.load(acquire); h != nullptr; h = h->next)
    if (!h->frozen.load(relaxed)) visit(*h);
}

/// Makes the end of threads known to us; called once, as early as possible.
void start_watching_threads();

}  // namespace heapsmith
