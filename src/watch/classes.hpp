// Counts of blocks and slabs, class by class, for the interfaces that list them.
#pragma once

#include <cstddef>

#include "base/size_classes.hpp"
#include "spans/spans.hpp"

namespace heapsmith::watch {

struct class_count_of_slabs {
  std::size_t blocks = 0;           // in use
  std::size_t slabs = 0;            // that have any block in use or free
  std::size_t slabs_with_room = 0;  // of these, those with a free block
};

struct class_counts {
  class_count_of_slabs of[class_count];
};

/// Counts while other threads go on; exact when they are quiet. Complexity: linear in the slabs.
class_counts count_classes();

/// The same of one first-class heap.
class_counts count_classes(const spans::account& heap);

/// The bytes of all blocks in use, by the sizes of their classes.
std::size_t bytes_in(const class_counts& counts);

/// The bytes of free blocks in slabs that the calling thread owns. Complexity: linear in the slabs.
std::size_t free_bytes_of_this_thread();

}  // namespace heapsmith::watch
