// The behaviour of operator new when it is out of memory.
#pragma once

#include <cstddef>

namespace heapsmith {

/// Calls the new_handler until the allocation succeeds. Errors: throws std::bad_alloc if there is
/// no new_handler.
[[gnu::cold]] void* new_or_throw(std::size_t size, std::size_t align);

/// As new_or_throw, for the nothrow forms. Errors: returns null, also if the handler throws.
[[gnu::cold]] void* new_or_null(std::size_t size, std::size_t align) noexcept;

}  // namespace heapsmith
