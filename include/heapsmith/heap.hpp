// The general-purpose heap as a C++ resource: the heap of the process, and first-class heaps.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/or_throw.hpp"
#include "heapsmith/heapsmith.h"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * The general-purpose heap of the process, which is also behind hs_malloc and a preloaded malloc.
 *
 * It has no state: all objects are equal, and a block allocated through one may be deallocated
 * through another, or with hs_free. It cannot be reset, because
 * the whole process uses it; a `heap` can. Needs libheapsmith, or the preload, at link time.
 *
 * Errors: allocate, reallocate and allocate_at_least throw std::bad_alloc; nothing has changed
 * then.
 * Complexity: constant for blocks up to 1 MiB if their size class has a free block; else as
 * hs_malloc.
 * Thread safety: any thread may call any function, and deallocate the blocks of another thread.
 * Source: a list for each slab as in mimalloc (Leijen et al., 2019); docs/paths/malloc.md follows
 * one call.
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

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return detail::or_throw(try_allocate(bytes, align));
  }

  /// As allocate. Errors: returns nullptr.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? hs_malloc(bytes) : hs_aligned_alloc(align, bytes);
  }

  /// Effects: frees the block at `p`.
  /// Requires: `p` was allocated with this `align`; `bytes` is its requested size, its usable size,
  /// or a size between them.
  void deallocate(void* p, std::size_t bytes, std::size_t align = min_alignment) noexcept {
    align <= min_alignment ? hs_free_sized(p, bytes) : hs_free_aligned_sized(p, align, bytes);
  }

  /// Effects: makes the block at least `new_bytes` long without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return hs_try_expand(p, new_bytes) == 0;
  }

  /// Effects: resizes the block in place or by moving it, keeping its contents.
  /// Requires: `new_bytes` is not 0.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return detail::or_throw(align <= min_alignment ? hs_realloc(p, new_bytes)
                                                   : hs_aligned_realloc(p, align, new_bytes));
  }

  /// Returns: a block and its usable size, with which it may be deallocated.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, hs_malloc_usable_size(p)};
  }

  /// Returns: the statistics that hs_stats() fills in. Complexity: linear in the number of slabs.
  [[nodiscard]] hs_statistics stats() const noexcept {
    hs_statistics out;
    out.size = sizeof out;
    hs_stats(&out);
    return out;
  }

  friend bool operator==(const global_heap&, const global_heap&) = default;
};

static_assert(resource<global_heap> && expanding_resource<global_heap> &&
              reallocating_resource<global_heap> && generous_resource<global_heap> &&
              measured_resource<global_heap>);

using heap_stats = hs_heap_statistics;

/**
 * A first-class heap: a general-purpose heap with a limit and statistics of its own, whose blocks
 * can be ended all at once. It wraps hs_heap.
 *
 * A heap can be moved but not copied; a moved-from heap may only be assigned to and destroyed. Its
 * blocks may also be freed with hs_free. Destroying the heap ends all its blocks and runs no
 * destructors of objects in them.
 *
 * Errors: the constructors, allocate, reallocate and allocate_at_least throw std::bad_alloc;
 * nothing has changed then.
 * Complexity: as global_heap, plus 9 instructions for each allocation and deallocation together;
 * reset is linear in the number of slabs.
 * Thread safety: any thread may call any function, and deallocate the blocks of another thread; but
 * while one thread resets, moves or destroys the heap, no other thread may use it.
 *
 * ```cpp
 * heapsmith::heap level;
 * void* p = level.allocate(100);
 * level.reset();  // ends p and all other blocks
 * ```
 */
class heap {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;

  heap() : heap(std::nothrow) { static_cast<void>(detail::or_throw(heap_)); }

  /// Effects: creates a heap with a limit; see set_limit.
  explicit heap(std::size_t limit_bytes) : heap() { set_limit(limit_bytes); }

  /// Returns: a heap with a limit (0: without one); nothing if out of memory.
  [[nodiscard]] static std::optional<heap> try_create(std::size_t limit_bytes = 0) noexcept {
    heap created(std::nothrow);
    if (created.heap_ == nullptr) return std::nullopt;
    created.set_limit(limit_bytes);
    return created;
  }

  heap(heap&& other) noexcept : heap_(std::exchange(other.heap_, nullptr)) {}
  heap& operator=(heap&& other) noexcept {
    heap moved(std::move(other));
    std::swap(heap_, moved.heap_);
    return *this;
  }
  ~heap() { hs_heap_destroy(heap_); }

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return detail::or_throw(try_allocate(bytes, align));
  }

  /// As allocate. Errors: returns nullptr.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    require_heap();
    return align <= min_alignment ? hs_heap_malloc(heap_, bytes)
                                  : hs_heap_aligned_alloc(heap_, align, bytes);
  }

  /// Effects: frees the block at `p`; does nothing if `p` is nullptr.
  /// Requires: the block is from this heap.
  void deallocate(void* p) noexcept { hs_heap_free(heap_, p); }
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    hs_heap_free(heap_, p);
  }

  /// Effects: makes the block at least `new_bytes` long without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return hs_try_expand(p, new_bytes) == 0;
  }

  /// Effects: resizes the block in place or by moving it within the heap, keeping its contents.
  /// Requires: `new_bytes` is not 0.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    if (p == nullptr) return allocate(new_bytes, align);
    return detail::or_throw(hs_aligned_realloc(p, align, new_bytes));
  }

  /// Returns: a block and its usable size, with which it may be deallocated.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, hs_malloc_usable_size(p)};
  }

  /// Effects: ends all blocks; the heap stays, with its limit.
  void reset() noexcept {
    require_heap();
    hs_heap_reset(heap_);
  }

  /// Effects: limits the heap to `bytes`; 0 removes the limit. See hs_heap_set_limit.
  void set_limit(std::size_t bytes) noexcept {
    require_heap();
    hs_heap_set_limit(heap_, bytes);
  }

  /// Returns: the statistics that hs_heap_stats() fills in. Complexity: linear in the number of
  /// slabs of the heap.
  [[nodiscard]] heap_stats stats() const noexcept {
    require_heap();
    heap_stats out;
    out.size = sizeof out;
    hs_heap_stats(heap_, &out);
    return out;
  }

  /// Returns: the heap for calls of the C API, which must not destroy it.
  [[nodiscard]] hs_heap* get() const noexcept { return heap_; }

  friend bool operator==(const heap& a, const heap& b) { return a.heap_ == b.heap_; }

 private:
  explicit heap(std::nothrow_t) noexcept : heap_(hs_heap_create()) {}

  void require_heap() const noexcept { HS_REQUIRE(heap_ != nullptr, "the heap was moved from"); }

  hs_heap* heap_;
};

static_assert(resource<heap> && expanding_resource<heap> && reallocating_resource<heap> &&
              generous_resource<heap> && resettable_resource<heap> && measured_resource<heap>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
