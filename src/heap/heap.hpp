// The heap as the adapters see it: every way to allocate, free and ask about a block.
#pragma once

#include <cstddef>

#include "heap/malloc_path.hpp"

namespace heapsmith {

/// Allocates `bytes` that read as zero; clears only what may not be.
void* allocate_zeroed(std::size_t bytes);

/// Allocates at a multiple of `align`, a power of two.
void* allocate_aligned(std::size_t bytes, std::size_t align);

/// What becomes of pointers that no allocator of ours returned.
struct foreign_handlers {
  void (*free)(void* p);
  void* (*reallocate)(void* p, std::size_t bytes);
  std::size_t (*usable_bytes)(const void* p);
};

/// For callers who name heapsmith, and so mean a block of ours: the process is stopped.
extern const foreign_handlers stop_at_foreign;

/// For malloc's own names: as above, unless adapt/override hands such blocks to libc.
extern foreign_handlers foreign;

/// As realloc: resizes a block in place or by moving it; null and unchanged when there is no
/// memory. Null is allocated for, and size 0 frees: null.
void* reallocate(void* p, std::size_t bytes, const foreign_handlers& others = stop_at_foreign);

/// Allocates at a multiple of `align` from the heap of the block at `p`.
void* allocate_aligned_beside(const void* p, std::size_t bytes, std::size_t align);

/// Resizes in place; false and unchanged when that is not possible.
bool try_expand(void* p, std::size_t bytes);

/// Resizes in place, shrinking too; false and unchanged when moving would be needed or better.
bool try_resize(void* p, std::size_t bytes);

/// How many bytes of the block may be used; 0 for null.
std::size_t usable_bytes(const void* p, const foreign_handlers& others = stop_at_foreign);

/// How many bytes a request of `bytes` at a multiple of `align` will be able to use.
std::size_t good_bytes(std::size_t bytes, std::size_t align = 1);

/// For checks of sized deallocation: whether a request of this size and alignment gets just such a
/// block as the one at `p`, and whether that one has at least `bytes`. True where nothing is known.
bool fits_request(const void* p, std::size_t bytes, std::size_t align = 1);
bool may_hold(const void* p, std::size_t bytes);

/// Stops the process when there is no such block; `call` is named in the message.
[[noreturn]] void stop_foreign(const char* call, const void* p);

/// Null, with errno saying why.
void* out_of_memory();

}  // namespace heapsmith
