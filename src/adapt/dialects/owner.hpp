// Which heap an address belongs to.
#pragma once

#include "spans/spans.hpp"

namespace heapsmith::dialects {

struct owner {
  bool is_ours = false;
  spans::account* account = nullptr;  // of the first-class heap; null: the process's heap
};

/// For an address in a slab, or at the start of a block with a span of its own, also of free
/// blocks.
owner owner_of(const void* p);

}  // namespace heapsmith::dialects
