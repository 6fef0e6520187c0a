// What operator new does when there is no memory.
#pragma once

#include <cstddef>

namespace heapsmith {

/// Asks the new_handler to make room until there is room; throws std::bad_alloc when there is none.
[[gnu::cold]] void* new_or_throw(std::size_t size, std::size_t align);

/// The same for the nothrow forms: null instead, also when the handler throws.
[[gnu::cold]] void* new_or_null(std::size_t size, std::size_t align) noexcept;

}  // namespace heapsmith
