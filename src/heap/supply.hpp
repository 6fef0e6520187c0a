// The supply of blocks behind the fast path.
#pragma once

#include "base/hidden.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// A block of the slab of class `c` that was set aside, if the class has no other; or null. The
/// class has no current slab. Needs no slow section: it works as free_event() does.
block* pop_set_aside(thread_heap& h, std::size_t c);

/// A block of class `c`, from the cheapest source; null when out of memory.
HS_HIDDEN block* pop_slowly(thread_heap& h, std::size_t c);

/// Blocks of one class, in use: a list, or cut from here on and not touched.
struct block_supply {
  block* first = nullptr;
  char* uncut = nullptr;
  std::uint32_t count = 0;  // 0: out of memory
};

/// Up to `most` blocks of class `c`, of one slab, for the thread that holds the lock of `h`.
block_supply pop_many(thread_heap& h, std::size_t c, std::uint32_t most);

}  // namespace heapsmith
