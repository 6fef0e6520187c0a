// Reallocation by moving, for resources that cannot do better.
#pragma once

#include <cstddef>
#include <cstring>

namespace heapsmith::detail {

/// Effects: moves the contents of the block to a new block of `to`, which may be `from`.
/// Errors: throws what `to.allocate` throws. The block is unchanged then.
template <class From, class To>
void* move_block(From& from, To& to, void* p, std::size_t old_bytes, std::size_t new_bytes,
                 std::size_t align) {
  void* moved = to.allocate(new_bytes, align);
  std::memcpy(moved, p, old_bytes < new_bytes ? old_bytes : new_bytes);
  from.deallocate(p, old_bytes, align);
  return moved;
}

}  // namespace heapsmith::detail
