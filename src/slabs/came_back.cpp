// Counts for the thread that calls, whichever heap it works on.
#include "slabs/came_back.hpp"

#include <atomic>

namespace heapsmith {

constinit atomic<std::uint64_t> came_back_without_heap{0};

void note_came_back() {
  if (t_heap == &empty_heap || t_heap == nullptr) return note_came_back_without_heap();
  thread_heap& h = *t_heap;
  // A signal handler that counts here, too, comes after what this call is about.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // release pairs with the acquire in search_now(): who sees the count finds what came
  // back. Only the heap's own thread writes it.
  h.came_back.store(h.came_back.load(relaxed) + 1, release);
}

}  // namespace heapsmith
