// Large blocks: spans of their own from 32 KiB on, direct maps from 32 MiB on.
#pragma once

#include <cstddef>

#include "spans/spans.hpp"

namespace heapsmith {

// For an account, and within its limit; null: for none.
void* allocate_large_zeroed(std::size_t bytes, spans::account* holder = nullptr);
void* allocate_large_aligned(std::size_t bytes, std::size_t align,
                             spans::account* holder = nullptr);

/// Frees the large block whose first slice is `s`; stops the process if `p` is not its start.
void free_large(slab* s, void* p);

std::size_t large_bytes(const slab* s);

/// Resizes in place: the tail goes back, or free slices behind it join. False and unchanged: not
/// possible.
bool resize_large(slab* s, std::size_t bytes);

}  // namespace heapsmith
