// Counts that memory came back: a search that found nothing need not be repeated before it did.
#pragma once

#include <atomic>
#include <cstdint>

#include "slabs/thread_heap.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Call when a search of all heaps can find something that it could not find before: after a batch
/// of blocks was sent home, a span was kept, or what another search could not see was put back. `h`
/// is this thread's own heap, no sub-heap.
inline void note_came_back(thread_heap& h) {
  // A signal handler that counts here, too, comes after what this call is about.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // release pairs with the acquire in times_memory_came_back(): who sees the count finds what came
  // back. Only the heap's own thread writes it.
  h.came_back.store(h.came_back.load(relaxed) + 1, release);
}

/// The same for any thread that has thread storage.
void note_came_back();

/// The same for any thread.
extern atomic<std::uint64_t> came_back_without_heap;
inline void note_came_back_without_heap() {
  came_back_without_heap.fetch_add(1, release);  // as in note_came_back()
}

}  // namespace heapsmith
