// The heap as the adapters see it: every way to allocate, free and ask about a block.
#pragma once

#include <cstddef>

#include "base/hidden.hpp"
#include "heap/malloc_path.hpp"

namespace heapsmith {

/// Allocates `bytes` that read as zero; clears only memory that may have been used.
HS_HIDDEN void* allocate_zeroed(std::size_t bytes);

/// Allocates at a multiple of `align`, a power of two.
HS_HIDDEN void* allocate_aligned(std::size_t bytes, std::size_t align);

/// How pointers are treated that no allocator of ours returned. Without functions: aborts.
struct foreign_handlers {
  void (*free)(void* p);
  void* (*reallocate)(void* p, std::size_t bytes);
  std::size_t (*usable_bytes)(const void* p);
};

/// For callers who name heapsmith, and so mean a block of ours: aborts.
inline constexpr foreign_handlers abort_at_foreign = {};

/// Aborts if `p` cannot be a block of another allocator: it points into a direct map of ours, or
/// nothing is mapped where one was.
HS_HIDDEN void require_foreign(const char* call, const void* p);

/// For malloc's own names: aborts too, unless adapt/override hands such blocks to libc.
extern foreign_handlers foreign;

/// As realloc: resizes a block in place or by moving it; null and unchanged when out of memory. A
/// null `p` allocates. Size 0 frees the block and returns null.
HS_HIDDEN void* reallocate(void* p, std::size_t bytes,
                           const foreign_handlers& others = abort_at_foreign);

/// Allocates at a multiple of `align` from the heap of the block at `p`.
void* allocate_aligned_beside(const void* p, std::size_t bytes, std::size_t align);

/// Resizes in place; false and unchanged when that is not possible.
bool try_expand(void* p, std::size_t bytes);

/// Resizes in place, shrinking too; false and unchanged when moving would be needed or better.
bool try_resize(void* p, std::size_t bytes);

/// The usable size of a block in bytes; 0 for null.
std::size_t usable_bytes(const void* p, const foreign_handlers& others = abort_at_foreign);

/// The usable size that a request of `bytes` at a multiple of `align` will have.
HS_HIDDEN std::size_t good_bytes(std::size_t bytes, std::size_t align = 1);

/// For checks of sized deallocation: whether a request of this size and alignment gets a block as
/// large as the one at `p`, and whether that one has at least `bytes`. True where nothing is known.
bool fits_request(const void* p, std::size_t bytes, std::size_t align = 1);
bool may_hold(const void* p, std::size_t bytes);

/// Aborts because no block of ours is at `p`; the message names `call`.
[[noreturn]] void abort_foreign(const char* call, const void* p);

/// Null, with errno saying why.
HS_HIDDEN void* out_of_memory();

}  // namespace heapsmith
