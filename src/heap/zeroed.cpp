// Blocks that read as zero.
#include <string.h>

#include "heap/first_class.hpp"
#include "heap/heap.hpp"
#include "heap/heap_path.hpp"
#include "heap/large.hpp"

namespace heapsmith {

void* allocate_zeroed(std::size_t bytes) {
  if (bytes > slab_block_max)
    return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes);
  void* p = allocate(bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

void* allocate_zeroed_in(first_class_heap& f, std::size_t bytes) {
  if (bytes > slab_block_max) {
    require_heap("hs_heap_calloc", f);
    return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes, &f);
  }
  void* p = allocate_in_any(f, bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

}  // namespace heapsmith
