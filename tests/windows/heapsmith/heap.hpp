// Stands in for the heap on Windows, which has none, so that tests of other families run there:
// they use it as a resource with every operation. It is one region for all threads.
#pragma once

#include <windows.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "heapsmith/decorators.hpp"
#include "heapsmith/detail/or_throw.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource.hpp"

// Macros of <windows.h>.
#undef max
#undef min

namespace heapsmith {

/// The fields that tests read.
struct hs_statistics {
  std::size_t in_use_bytes, slab_bytes, large_bytes, direct_bytes, cached_bytes, metadata_bytes;
};

class global_heap {
 public:
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return detail::or_throw(try_allocate(bytes, align));
  }
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return may_take(bytes) ? all().try_allocate(bytes, align) : nullptr;
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align = min_alignment) noexcept {
    all().deallocate(p, bytes, align);
  }
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = min_alignment) noexcept {
    return may_take(new_bytes) && all().try_expand(p, old_bytes, new_bytes, align);
  }
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    if (!may_take(new_bytes)) detail::raise(std::bad_alloc());
    return all().reallocate(p, old_bytes, new_bytes, align);
  }
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    return all().allocate_at_least(bytes, align);
  }
  [[nodiscard]] hs_statistics stats() const noexcept {
    const std::size_t bytes = all().stats().in_use_bytes;
    return {bytes, bytes, 0, 0, 0, 0};
  }
  friend bool operator==(const global_heap&, const global_heap&) = default;

  static inline std::size_t limit = 0;  ///< as hs_set_limit

  static synchronized_region& all() {
    static synchronized_region region(
        VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE), size);
    return region;
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 30;

  static bool may_take(std::size_t bytes) {
    return limit == 0 || (bytes <= limit && all().stats().in_use_bytes + bytes <= limit);
  }
};

inline void hs_set_limit(std::size_t bytes) {
  global_heap::limit = bytes;
}
inline std::size_t hs_malloc_usable_size(const void* p) {
  return global_heap::all().usable_size(p);
}

class heap : public synchronized_region {};

}  // namespace heapsmith
