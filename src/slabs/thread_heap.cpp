// The slab and the heap that stand for none, and the pointer that starts at them.
#include "slabs/thread_heap.hpp"

namespace heapsmith {

constinit slab no_slab;
constinit atomic<std::uint32_t> threads_with_heaps{0};
constinit thread_heap empty_heap{false};

thread_heap* thread_heap::in_zeroed(void* memory) {
  auto* const h = static_cast<thread_heap*>(memory);
  h->start();
  return h;
}

thread_local constinit thread_heap* t_heap = &empty_heap;

}  // namespace heapsmith
