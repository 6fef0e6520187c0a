// Whether a call interrupts the heap: slow paths are marked, so that a signal handler finds out.
#pragma once

#include "base/hidden.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

enum class thread_phase : std::uint8_t { fresh, starting, running, exited };

// Initial-exec, as t_heap.
extern thread_local constinit thread_phase t_phase;

/// Marks the slow path of a thread's own heap; converts to false if the call interrupts one.
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

/// True if this thread is inside the heap already: the call came from a signal handler, or from
/// libc while a heap is made. Then nothing may be changed and no lock taken.
HS_HIDDEN bool interrupts_the_heap();

}  // namespace heapsmith
