// malloc's family over the heap, with the errno rules of POSIX and glibc; the adapters give it
// names.
#pragma once

#include <errno.h>

#include <cstddef>

#include "base/units.hpp"
#include "heap/heap.hpp"
#include "os/os.hpp"

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

inline bool product(std::size_t a, std::size_t b, std::size_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}

inline void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  return product(count, size, &bytes) ? allocate_zeroed(bytes) : out_of_memory();
}

inline void* realloc(void* p, std::size_t size) {
  if (p == nullptr) return allocate(size);
  if (size == 0) return deallocate(p), nullptr;
  return reallocate(p, size);
}

inline void* reallocarray(void* p, std::size_t count, std::size_t size) {
  std::size_t bytes;
  return product(count, size, &bytes) ? realloc(p, bytes) : out_of_memory();
}

inline void* invalid() {
  errno = EINVAL;
  return nullptr;
}

inline void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return is_power_of_two(alignment) ? allocate_aligned(size, alignment) : invalid();
}

inline void* memalign(std::size_t alignment, std::size_t size) {
  if (is_power_of_two(alignment)) return allocate_aligned(size, alignment);
  if (alignment > (SIZE_MAX >> 1) + 1) return invalid();
  return allocate_aligned(size, std::bit_ceil(alignment));
}

inline int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* p = allocate_aligned(size, alignment);
  if (p == nullptr) return ENOMEM;  // errno says it too, as in glibc: programs look at either
  *out = p;
  return 0;
}

inline void* valloc(std::size_t size) {
  return allocate_aligned(size, os::page_bytes());
}

inline void* pvalloc(std::size_t size) {
  if (size > object_max) return out_of_memory();
  return allocate_aligned(round_up(size == 0 ? 1 : size, os::page_bytes()), os::page_bytes());
}

}  // namespace heapsmith::surface
