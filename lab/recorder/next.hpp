// The allocator behind the recorder: the next definition of each function in the process.
#pragma once

#include <cstddef>
#include <new>

#include "base/atomic.hpp"

namespace heapsmith::recorder {

/// The functions that a call is passed on to. The operators are null where nothing defines them.
struct next_functions {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*valloc)(std::size_t);
  void* (*pvalloc)(std::size_t);
  std::size_t (*usable_size)(void*);
};
struct next_operators {
  /// Whether they are libstdc++'s, which call malloc and free and do nothing else.
  bool are_plain;
  /// Whether the program has operators of its own, which default forms call. Then these pass calls
  /// on unrecorded, and what the program's operators allocate is recorded.
  bool are_replaced;
  void* (*make)(std::size_t);
  void* (*make_array)(std::size_t);
  void* (*make_nothrow)(std::size_t, const std::nothrow_t&);
  void* (*make_array_nothrow)(std::size_t, const std::nothrow_t&);
  void* (*make_aligned)(std::size_t, std::align_val_t);
  void* (*make_array_aligned)(std::size_t, std::align_val_t);
  void* (*make_aligned_nothrow)(std::size_t, std::align_val_t, const std::nothrow_t&);
  void* (*make_array_aligned_nothrow)(std::size_t, std::align_val_t, const std::nothrow_t&);
  void (*end)(void*);
  void (*end_array)(void*);
  void (*end_sized)(void*, std::size_t);
  void (*end_array_sized)(void*, std::size_t);
  void (*end_aligned)(void*, std::align_val_t);
  void (*end_array_aligned)(void*, std::align_val_t);
  void (*end_sized_aligned)(void*, std::size_t, std::align_val_t);
  void (*end_array_sized_aligned)(void*, std::size_t, std::align_val_t);
};

extern constinit atomic<const next_functions*> known_functions;
extern constinit atomic<const next_operators*> known_operators;
const next_functions* find_functions();
const next_operators& find_operators();

/// Returns: the functions, or null while they are being looked up. A caller that gets null is the
/// lookup itself, and boot_allocate() serves it.
inline const next_functions* next() {
  // acquire pairs with find_functions(): they are there. With relaxed, a thread on a processor that
  // reorders loads could call a null pointer.
  const next_functions* known = known_functions.load(acquire);
  return known != nullptr ? known : find_functions();
}

inline const next_operators& next_new() {
  const next_operators* known = known_operators.load(acquire);  // as in next()
  return known != nullptr ? *known : find_operators();
}

/// Effects: takes these instead of looking them up. Requires: no call was recorded before.
void use_next(const next_functions& found, const next_operators& operators_found);

/// Returns: memory for a call that comes before the next allocator is known. It is never freed.
void* boot_allocate(std::size_t bytes, std::size_t align);
bool is_boot_block(const void* p);
/// Returns: the bytes from a boot block on that may be read.
std::size_t boot_bytes_from(const void* p);

}  // namespace heapsmith::recorder
