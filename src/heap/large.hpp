// Large blocks: spans of their own, and direct maps from 32 MiB on.
#pragma once

#include <cstddef>

#include "spans/spans.hpp"

namespace heapsmith {

// For an account, and within its limit; null: for none.
void* allocate_large_zeroed(std::size_t bytes, spans::account* holder = nullptr);
void* allocate_large_aligned(std::size_t bytes, std::size_t align,
                             spans::account* holder = nullptr);

/// A copy of the large block of this record, with room for `bytes`, for the same account.
/// Requires: `bytes` is more than the block has. Null, with errno, when there is no memory.
/// Cold, so compiled for size: the copy takes far longer than the way to it.
[[gnu::cold]] void* copy_large(spans::record* first, std::size_t bytes);

/// Frees the large block with this first record; aborts if `p` is not its start.
void free_large(spans::record* first, void* p);

inline std::size_t large_bytes(const spans::record* first) {
  return std::size_t{first->slices} * slice_bytes;
}

/// Resizes in place: the tail is given back, or free slices behind it join. False: nothing changed.
bool resize_large(spans::record* first, std::size_t bytes);

}  // namespace heapsmith
