// What tests of first-class heaps share: whose block is this?
#pragma once

#include <thread>

#include "heap/heap_path.hpp"
#include "heapsmith/heap.hpp"
#include "support/heap_blocks.hpp"

namespace heapsmith::test {

inline const first_class_heap* behind(const heap& h) {
  return reinterpret_cast<const first_class_heap*>(h.get());
}

inline const first_class_heap* heap_of(const void* p) {
  return static_cast<const first_class_heap*>(account_behind(p));
}

inline std::vector<void*> allocate_many_in(heap& h, std::size_t n, std::size_t bytes) {
  std::vector<void*> blocks(n);
  for (void*& p : blocks) p = h.allocate(bytes);
  return blocks;
}

template <class Body>
void in_thread(Body body) {
  std::thread(body).join();
}

}  // namespace heapsmith::test
