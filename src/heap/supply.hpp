// The supply of blocks behind the fast path.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// A block of class `c`, from wherever one is free soonest; null when there is no memory.
block* pop_slowly(thread_heap& h, std::size_t c);

}  // namespace heapsmith
