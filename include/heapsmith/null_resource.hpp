// The resource that has no memory: the upstream of arenas and pools that must not grow.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <new>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Refuses every request.
 *
 * Errors: allocate() throws std::bad_alloc; try_allocate() returns nullptr.
 * Thread safety: any thread. All null resources are equal.
 * Source: std::pmr::null_memory_resource.
 *
 * ```cpp
 * alignas(16) std::byte buffer[4096];
 * heapsmith::arena<heapsmith::null_resource> fixed(buffer, sizeof buffer);
 * ```
 */
class null_resource {
 public:
  static constexpr bool is_thread_safe = true;

  [[nodiscard]] void* allocate(std::size_t /*bytes*/, std::size_t /*align*/ = 1) {
    detail::raise(std::bad_alloc());
  }
  [[nodiscard]] void* try_allocate(std::size_t /*bytes*/, std::size_t /*align*/ = 1) noexcept {
    return nullptr;
  }
  void deallocate(void* /*p*/, std::size_t /*bytes*/, std::size_t /*align*/ = 1) noexcept {}

  friend bool operator==(const null_resource&, const null_resource&) = default;
};

static_assert(resource<null_resource>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
