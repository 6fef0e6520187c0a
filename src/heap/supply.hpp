// The supply of blocks behind the fast path.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// A block of class `c`, from the cheapest source; null when out of memory.
block* pop_slowly(thread_heap& h, std::size_t c);

}  // namespace heapsmith
