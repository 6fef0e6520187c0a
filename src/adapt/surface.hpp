// malloc's family over the heap, with the errno rules of POSIX and glibc; the adapters give it
// names.
#pragma once

#include <errno.h>

#include <cstddef>

#include "heap/heap.hpp"
#include "heapsmith/detail/check.hpp"

namespace heapsmith::surface {

[[gnu::always_inline]] inline void* malloc(std::size_t size) {
  return allocate(size);
}

[[gnu::always_inline]] inline void free(void* p) {
  deallocate(p);
}

/// For callers who name heapsmith: no other allocator's block can be meant.
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

/// A size given with a block that is freed is what it was asked for with or resized to last; it may
/// have shrunk where it lies, so only that it holds as much is certain.
inline void require_size(const void* p, std::size_t size) {
  HS_REQUIRE(p == nullptr || may_hold(p, size), "the block is smaller than it is said to be");
}

void* reallocarray(void* p, std::size_t count, std::size_t size, const foreign_handlers& others);
void* aligned_alloc(std::size_t alignment, std::size_t size);
void* memalign(std::size_t alignment, std::size_t size);
int posix_memalign(void** out, std::size_t alignment, std::size_t size);
void* valloc(std::size_t size);
void* pvalloc(std::size_t size);

/// Null, with errno saying that an argument makes no sense.
void* invalid();

}  // namespace heapsmith::surface
