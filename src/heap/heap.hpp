// The heap as the adapters see it: every way to allocate, free and ask about a block.
#pragma once

#include <cstddef>

#include "heap/malloc_path.hpp"

namespace heapsmith {

/// Allocates `bytes` that read as zero; clears only what may not be.
void* allocate_zeroed(std::size_t bytes);

/// Allocates at a multiple of `align`, a power of two.
void* allocate_aligned(std::size_t bytes, std::size_t align);

/// Resizes a block in place or by moving it; null and unchanged when there is no memory.
/// `p` is not null and `bytes` not 0.
void* reallocate(void* p, std::size_t bytes);

/// Resizes in place; false and unchanged when that is not possible.
bool try_expand(void* p, std::size_t bytes);

/// Resizes in place, shrinking too; false and unchanged when moving would be needed or better.
bool try_resize(void* p, std::size_t bytes);

/// How many bytes of the block may be used; 0 for null.
std::size_t usable_bytes(const void* p);

/// How many bytes a request of `bytes` will be able to use.
std::size_t good_bytes(std::size_t bytes);

/// What to do with pointers no allocator of ours returned. The defaults stop the process.
struct foreign_handlers {
  void (*free)(void* p);
  void* (*reallocate)(void* p, std::size_t bytes);
  std::size_t (*usable_bytes)(const void* p);
};
extern foreign_handlers foreign;

/// Stops the process when there is no such block; `call` is named in the message.
[[noreturn]] void stop_foreign(const char* call, const void* p);

/// Null, with errno saying why.
void* out_of_memory();

}  // namespace heapsmith
