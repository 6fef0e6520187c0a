// The allocator under test as a table of functions, so that no compiler sees which misuse is
// coming.
#pragma once

#include <cstddef>

/// malloc's family: heapsmith's hs_ functions, or the plain names when the library is preloaded.
struct calls {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*reallocarray)(void*, std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*valloc)(std::size_t);
  void* (*pvalloc)(std::size_t);
  std::size_t (*usable_size)(void*);
  void (*free_sized)(void*, std::size_t);  // operator delete, where names are plain
};
extern const calls heap;
