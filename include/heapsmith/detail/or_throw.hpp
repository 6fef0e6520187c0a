// How allocate() is made of try_allocate(): null pointers become exceptions.
#pragma once

#include <new>

#include "heapsmith/detail/fatal.hpp"

namespace heapsmith::detail {

/// Returns: `p`.
/// Errors: throws std::bad_alloc if `p` is null; aborts where exceptions are switched off.
[[gnu::always_inline]] inline void* or_throw(void* p) {
  if (p == nullptr) [[unlikely]]
    raise(std::bad_alloc());
  return p;
}

}  // namespace heapsmith::detail
