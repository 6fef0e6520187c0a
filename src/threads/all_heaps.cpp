// Makes heaps, and lists them without a lock.
#include "threads/all_heaps.hpp"

#include "spans/spans.hpp"

namespace heapsmith {

constinit atomic<thread_heap*> all_heaps{nullptr};

thread_heap* make_heap() {
  void* memory = spans::allocate_metadata(sizeof(thread_heap));
  if (memory == nullptr) return nullptr;
  thread_heap* const h = thread_heap::in_zeroed(memory);
  h->token = reinterpret_cast<owner_token>(h);  // until a thread has it
  h->next = all_heaps.load(relaxed);            // a guess; the exchange checks it
  // release pairs with for_each_heap(): the heap is complete before it is listed.
  while (!all_heaps.compare_exchange_weak(h->next, h, release, relaxed)) {
  }
  return h;
}

}  // namespace heapsmith
