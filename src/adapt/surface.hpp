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

inline void* realloc(void* p, std::size_t size, const foreign_handlers& others) {
  return reallocate(p, size, others);
}

/// A size given with a block that is freed must be one that the block was asked for with, or
/// resized to.
inline void require_size(const void* p, std::size_t size, std::size_t align = 1) {
  HS_REQUIRE(p == nullptr || fits_resize(p, size) || fits_request(p, size, align),
             "the block has another size than the one it is freed with");
}

void* calloc(std::size_t count, std::size_t size);
void* reallocarray(void* p, std::size_t count, std::size_t size, const foreign_handlers& others);
void* aligned_alloc(std::size_t alignment, std::size_t size);
void* memalign(std::size_t alignment, std::size_t size);
int posix_memalign(void** out, std::size_t alignment, std::size_t size);
void* valloc(std::size_t size);
void* pvalloc(std::size_t size);

/// Null, with errno saying that an argument makes no sense.
void* invalid();

}  // namespace heapsmith::surface
