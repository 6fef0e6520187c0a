// The ways of the operators whose default calls another operator, which the program may replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace heapsmith {

/// They lead through the operators' symbols, which is always right, until it is known that no
/// symbol leads to the program. Then they go straight to the heap. That costs no instruction: each
/// is read where a function would be called by its name, or the main range's base be read.
struct operator_ways {
  void* (*try_allocate)(std::size_t size, std::size_t align);
  void (*end_sized_array)(void*, std::size_t);
  void (*end_sized_aligned)(void*, std::size_t, std::align_val_t);
  void (*end_sized_aligned_array)(void*, std::size_t, std::align_val_t);
  std::uintptr_t base;  // of the main range; no block lies behind UINTPTR_MAX
  bool are_straight() const { return base != UINTPTR_MAX; }
};
[[gnu::visibility("hidden")]] extern operator_ways ways;

}  // namespace heapsmith
