// Heaps as resources, with sizes and alignments told: the process's, and heaps of their own.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

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
    return hs_try_expand(p, new_bytes) == 0;
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

using heap_stats = hs_heap_statistics;

/**
 * A general-purpose heap of its own, whose blocks end together: see hs_heap, which it wraps.
 *
 * Moves, and does not copy; a moved-from heap may be assigned to and ends. Blocks may also be freed
 * with hs_free. The end of the heap is the end of all its blocks, and runs no destructors.
 *
 * Errors: std::bad_alloc from the constructor and the throwing forms; nothing has changed then.
 * Complexity: as global_heap, and 9 instructions more for a pair; reset goes by slabs.
 * Thread safety: any thread, and blocks may be deallocated by another thread; but reset,
 * moves and the end of the heap have it to themselves.
 *
 * ```cpp
 * heapsmith::heap level;
 * void* p = level.allocate(100);
 * level.reset();  // p, and whatever else was allocated
 * ```
 */
class heap {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;

  heap() : heap_(hs_heap_create()) {
    if (heap_ == nullptr) throw std::bad_alloc();
  }

  /// With a limit, as by set_limit.
  explicit heap(std::size_t limit_bytes) : heap() { set_limit(limit_bytes); }

  heap(heap&& other) noexcept : heap_(std::exchange(other.heap_, nullptr)) {}
  heap& operator=(heap&& other) noexcept {
    heap moved(std::move(other));
    std::swap(heap_, moved.heap_);
    return *this;
  }
  ~heap() { hs_heap_destroy(heap_); }

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return or_throw(try_allocate(bytes, align));
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? hs_heap_malloc(heap_, bytes)
                                  : hs_heap_aligned_alloc(heap_, align, bytes);
  }

  /// Requires: `p` is a block of this heap's, or nullptr.
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    hs_heap_free(heap_, p);
  }

  /// As above, for callers who do not know the size.
  void deallocate(void* p) noexcept { hs_heap_free(heap_, p); }

  /// Returns: true when the block is now at least `new_bytes` long, where it was.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return hs_try_expand(p, new_bytes) == 0;
  }

  /// Effects: resizes in place or moves within the heap, keeping contents. Requires: new_bytes > 0.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    if (p == nullptr) return allocate(new_bytes, align);
    return or_throw(hs_aligned_realloc(p, align, new_bytes));
  }

  /// Returns: a block and its usable bytes, which deallocate accepts too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, hs_malloc_usable_size(p)};
  }

  /// Effects: ends all blocks at once; the heap stays, with its limit.
  void reset() noexcept { hs_heap_reset(heap_); }

  /// Effects: the heap may hold at most `bytes`; 0: no limit. See hs_heap_set_limit.
  void set_limit(std::size_t bytes) noexcept { hs_heap_set_limit(heap_, bytes); }

  /// Complexity: a walk over the heap's slabs.
  [[nodiscard]] heap_stats stats() const noexcept {
    heap_stats out;
    out.size = sizeof out;
    hs_heap_stats(heap_, &out);
    return out;
  }

  /// The heap for the C API, which must not destroy it.
  [[nodiscard]] hs_heap* get() const noexcept { return heap_; }

  friend bool operator==(const heap& a, const heap& b) { return a.heap_ == b.heap_; }

 private:
  static void* or_throw(void* p) {
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }

  hs_heap* heap_;
};

static_assert(resource<heap> && expanding_resource<heap> && reallocating_resource<heap> &&
              generous_resource<heap> && measured_resource<heap>);

}  // namespace heapsmith
