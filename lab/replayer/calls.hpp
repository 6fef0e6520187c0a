// The functions of the allocator that a replay calls.
#pragma once

#include <cstddef>
#include <new>

namespace heapsmith::replayer {

/// Stands in a slot for a block that the allocator refused, and is given to none of its functions.
extern char refused_block[16];
inline bool is_refused(const void* p) {
  return __builtin_expect(p == refused_block, 0) != 0;
}

/// An operator new throws if it has no block of so many bytes, which ends the replay. From this
/// size on the form without exceptions stands for it; its own time does not matter there.
inline constexpr std::size_t refusable_bytes = std::size_t{1} << 20;

struct allocator {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*make)(std::size_t);
  void* (*make_array)(std::size_t);
  void* (*try_make)(std::size_t, const std::nothrow_t&);
  void* (*try_make_array)(std::size_t, const std::nothrow_t&);
  void* (*make_aligned)(std::size_t, std::align_val_t);
  void* (*make_array_aligned)(std::size_t, std::align_val_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void (*free)(void*);
  void (*end)(void*);
  void (*end_array)(void*);
  void (*end_sized)(void*, std::size_t);
  std::size_t (*usable_size)(void*);
};

/// Returns: the process's allocator. The operators are those of a preloaded library, or else of
/// libstdc++, which is loaded if `uses_operators`.
allocator of_process(bool uses_operators);

/// Returns: an allocator whose functions give the same `bytes` bytes for every block. A replay on
/// it costs what the replay itself costs.
allocator null_allocator(std::size_t bytes);

/// Effects: allocates with the function that has this number in docs/trace-format.md.
void* allocate_aligned(const allocator& a, unsigned api, std::size_t bytes, std::size_t align);

}  // namespace heapsmith::replayer
