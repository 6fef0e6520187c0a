// The heap's notes on a large block, in the record of its first slice.
#pragma once

#include <cstddef>

#include "slabs/slab.hpp"
#include "spans/record.hpp"

namespace heapsmith {

/// Shares the record with a slab. `owner`, `kind` and `start` are those of slab_in(): they tell
/// what the record is of. The other fields are the large block's while it lives.
struct large_block {
  std::byte of_slab[offsetof(slab, next)];
  bool has_moved;  // to grow
};
static_assert(sizeof(large_block) <= offsetof(slab, generation) && alignof(large_block) <= 8 &&
              offsetof(slab, owner) < offsetof(slab, next) &&
              offsetof(slab, kind) < offsetof(slab, next) &&
              offsetof(slab, start) > offsetof(slab, generation));

inline large_block* large_in(spans::record* first) {
  return reinterpret_cast<large_block*>(first->engine);
}

}  // namespace heapsmith
