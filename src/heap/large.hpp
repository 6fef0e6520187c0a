// Large blocks: spans of their own from 32 KiB on, direct maps from 32 MiB on.
#pragma once

#include <cstddef>

#include "spans/slab.hpp"

namespace heapsmith {

void* allocate_large_zeroed(std::size_t bytes);
void* allocate_large_aligned(std::size_t bytes, std::size_t align);

/// Frees the large block whose first slice is `s`; stops the process if `p` is not its start.
void free_large(slab* s, void* p);

std::size_t large_bytes(const slab* s);

/// Resizes in place: the tail goes back, or free slices behind it join. False and unchanged: not
/// possible.
bool resize_large(slab* s, std::size_t bytes);

}  // namespace heapsmith
