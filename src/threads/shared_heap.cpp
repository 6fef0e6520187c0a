// One heap for all threads without one, made when the first of them allocates.
#include "threads/shared_heap.hpp"

#include "threads/all_heaps.hpp"

namespace heapsmith {
namespace {

constinit thread_heap* shared_heap = nullptr;

}  // namespace

constinit os::lock shared_heap_lock{os::lock_rank::shared_heap};

shared_heap_use::shared_heap_use() : guard_(shared_heap_lock) {
  if (shared_heap == nullptr) shared_heap = make_heap();
  heap_ = shared_heap;
}

bool is_shared_heap(const thread_heap& h) {
  return &h == shared_heap;
}

void drop_shared_heap() {
  if (shared_heap != nullptr) shared_heap->frozen.store(true, relaxed);
  shared_heap = nullptr;
}

}  // namespace heapsmith
