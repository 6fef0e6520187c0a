// The slow half of middle blocks: what a thread caches is exchanged with the shared heap.
#pragma once

#include "slabs/thread_heap.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// The thread of `h` has no block of the middle class `c`: takes some. Returns one, the others are
/// cached; null when out of memory. In a slow section.
block* pop_middle(thread_heap& h, std::size_t c);

/// Frees a block of a middle class, a block of whose slab `s` starts there. In a slow section.
void free_middle(thread_heap& h, slab* s, block* b);

}  // namespace heapsmith
