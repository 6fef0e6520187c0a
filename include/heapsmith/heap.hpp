// The process's heap as a resource: heapsmith's malloc with sizes and alignments told.
#pragma once

#include <cstddef>
#include <new>

#include "heapsmith/heapsmith.h"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * The general-purpose heap of the process, the one behind hs_malloc and a preloaded malloc.
 *
 * Stateless: all objects are equal, and a block allocated through one may be deallocated through
 * another, or with hs_free. Needs libheapsmith (or the preload) at link time.
 *
 * Errors: std::bad_alloc from the throwing forms; nothing has changed then.
 * Complexity: constant for blocks up to 32 KiB when the class has a free block; else see hs_malloc.
 * Thread safety: any thread, and blocks may be deallocated by another thread.
 * Source: list per slab as in mimalloc (Leijen et al., 2019); docs/paths/malloc.md follows one
 * call.
 *
 * ```cpp
 * heapsmith::global_heap heap;
 * void* p = heap.allocate(100, 64);
 * heap.deallocate(p, 100, 64);
 * ```
 */
class global_heap {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return or_throw(try_allocate(bytes, align));
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? hs_malloc(bytes) : hs_aligned_alloc(align, bytes);
  }

  /// Requires: `p` came from a heap with this `align`; `bytes` from what was asked to what was
  /// told.
  void deallocate(void* p, std::size_t bytes, std::size_t align = min_alignment) noexcept {
    align <= min_alignment ? hs_free_sized(p, bytes) : hs_free_aligned_sized(p, align, bytes);
  }

  /// Returns: true when the block is now at least `new_bytes` long, where it was.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return hs_try_expand(p, new_bytes) != 0;
  }

  /// Effects: resizes in place or moves, keeping contents. Requires: new_bytes > 0.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return or_throw(align <= min_alignment ? hs_realloc(p, new_bytes)
                                           : hs_aligned_realloc(p, align, new_bytes));
  }

  /// Returns: a block and its usable bytes, which deallocate accepts too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, hs_malloc_usable_size(p)};
  }

  /// Complexity: a walk over the slabs; see hs_stats.
  [[nodiscard]] hs_statistics stats() const noexcept {
    hs_statistics out;
    out.size = sizeof out;
    hs_stats(&out);
    return out;
  }

  friend bool operator==(const global_heap&, const global_heap&) = default;

 private:
  static void* or_throw(void* p) {
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
};

static_assert(resource<global_heap> && expanding_resource<global_heap> &&
              reallocating_resource<global_heap> && generous_resource<global_heap> &&
              measured_resource<global_heap>);

}  // namespace heapsmith
