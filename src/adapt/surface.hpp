// malloc's family over the heap, with the errno rules of POSIX and glibc. The adapters export it
// under its names.
#pragma once

#include <errno.h>

#include <cstddef>

#include "heap/heap.hpp"
#include "heapsmith/detail/check.hpp"
#include "os/os.hpp"

namespace heapsmith::surface {

[[gnu::always_inline]] inline void* malloc(std::size_t size) {
  return allocate(size);
}

[[gnu::always_inline]] inline void free(void* p) {
  deallocate(p);
}

/// For callers that name heapsmith, so the block cannot be another allocator's.
[[gnu::always_inline]] inline void free_own(void* p) {
  deallocate<free_own_slow>(p);
}

inline void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? out_of_memory() : allocate_zeroed(bytes);
}

inline void* realloc(void* p, std::size_t size, const foreign_handlers& others) {
  return reallocate(p, size, others);
}

/// Checks the size that is passed with a block that is freed. It is the size with which the block
/// was allocated or last resized. The block may have shrunk in place, so only its usable size is
/// checked.
inline void require_size(const void* p, std::size_t size) {
  HS_REQUIRE(p == nullptr || may_hold(p, size),
             "the block is smaller than the size passed with it");
}

void* aligned_alloc(std::size_t alignment, std::size_t size);
void* memalign(std::size_t alignment, std::size_t size);
int posix_memalign(void** out, std::size_t alignment, std::size_t size);
inline void* valloc(std::size_t size) {
  return allocate_aligned(size, os::page_bytes());
}
void* pvalloc(std::size_t size);

/// Returns: null. Sets errno to EINVAL.
void* invalid();

}  // namespace heapsmith::surface
