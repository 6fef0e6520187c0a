// A region as a resource: malloc over memory that the caller supplies.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/region.h"
#include "heapsmith/resource.hpp"

namespace heapsmith {

using region_stats = hs_region_statistics;
using region_survey = hs_region_survey;
using region_block = hs_region_block;

/**
 * A complete malloc over buffers that the caller supplies; see hs_region, which it wraps.
 *
 * The control data (16 KiB) is this object; the buffers hold blocks and their headers of 8 bytes
 * and nothing else. Neither copies nor moves. Ending the region ends all blocks and leaves the
 * buffers to the caller.
 *
 * Errors: std::bad_alloc from the throwing forms; nothing has changed then. No request fails while
 * some place in the buffers is large enough, and aligned as asked.
 * Complexity: constant below 1 KiB when a block of that size was freed before; else bounded by the
 * number of bits of a size. See hs_region.
 * Thread safety: none.
 *
 * ```cpp
 * alignas(16) static unsigned char buffer[100'000];
 * heapsmith::region region(buffer, sizeof buffer);
 * void* p = region.allocate(100, 64);
 * region.deallocate(p, 100, 64);
 * ```
 */
class region {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;

  /// A region without memory: every request fails until init or add_memory.
  region() noexcept = default;

  /// As init; a buffer that init refuses leaves a region without memory.
  region(void* buffer, std::size_t bytes) noexcept { static_cast<void>(init(buffer, bytes)); }

  region(const region&) = delete;
  region& operator=(const region&) = delete;
  ~region() { hs_region_destroy(&control_); }

  /// Effects: starts the region over a buffer of any address and size.
  /// Returns: false when it is null, too small for a block, or the region was started before.
  bool init(void* buffer, std::size_t bytes) noexcept {
    return hs_region_init(&control_, buffer, bytes) == 0;
  }

  /// Effects: adds a buffer; joins it with those it adjoins.
  /// Returns: false when it is null, overlaps another, is too small, or one too many.
  bool add_memory(void* buffer, std::size_t bytes) noexcept {
    return hs_region_add_memory(&control_, buffer, bytes) == 0;
  }

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return or_throw(try_allocate(bytes, align));
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? hs_region_malloc(&control_, some(bytes))
                                  : hs_region_aligned_alloc(&control_, align, some(bytes));
  }

  /// Effects: ends the block at `p`; nullptr: nothing. Requires: `p` came from this region, `bytes`
  /// from what was asked to what was told.
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    hs_region_free(&control_, p);
  }

  /// As above, for callers who do not know the size.
  void deallocate(void* p) noexcept { hs_region_free(&control_, p); }

  /// Returns: true when the block is now new_bytes long, where it was: longer or shorter.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return hs_region_try_expand(&control_, p, some(new_bytes)) == 0;
  }

  /// Effects: resizes in place or moves, keeping contents; nullptr allocates.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return or_throw(align <= min_alignment
                        ? hs_region_realloc(&control_, p, some(new_bytes))
                        : hs_region_aligned_realloc(&control_, p, align, some(new_bytes)));
  }

  /// Returns: a block and its usable bytes, which deallocate accepts too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  /// Returns: how many bytes of the block may be used.
  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    return hs_region_usable_size(&control_, p);
  }

  /// Returns: whether `p` points into one of the buffers.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    return hs_region_owns(&control_, p) != 0;
  }

  /// Effects: ends all blocks; the buffers stay.
  void reset() noexcept { hs_region_reset(&control_); }

  /// Effects: joins deferred blocks with their free neighbours.
  /// Returns: the largest size that a request can now have.
  std::size_t defragment() noexcept { return hs_region_defragment(&control_); }

  /// Effects: at most `bytes` bytes of freed blocks are deferred from now on; 0: none.
  void limit_deferred(std::size_t bytes) noexcept { hs_region_limit_deferred(&control_, bytes); }

  /// Complexity: constant; see hs_region_stats.
  [[nodiscard]] region_stats stats() const noexcept {
    region_stats out;
    out.size = sizeof out;
    hs_region_stats(&control_, &out);
    return out;
  }

  /// Complexity: a walk over all blocks; see hs_region_survey_blocks.
  [[nodiscard]] region_survey survey() const noexcept {
    region_survey out;
    out.size = sizeof out;
    hs_region_survey_blocks(&control_, &out);
    return out;
  }

  /// Effects: calls `visit(const region_block&)` for every block, in address order within a buffer.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    const auto call = [](void* context, const region_block* block) {
      (*static_cast<std::remove_reference_t<Visit>*>(context))(*block);
    };
    using visitor = std::remove_cv_t<std::remove_reference_t<Visit>>;
    hs_region_for_each_block(&control_, call,
                             const_cast<visitor*>(detail::address_of(visit)));  // NOLINT
  }

  /// Returns: 0, or the number of a broken invariant; see hs_region_check.
  [[nodiscard]] int check() const noexcept { return hs_region_check(&control_); }

  /// The C region, for calls of the C API.
  [[nodiscard]] hs_region* native() noexcept { return &control_; }
  [[nodiscard]] const hs_region* native() const noexcept { return &control_; }

  /// Blocks go back to the region they came from, and to no other.
  friend bool operator==(const region& a, const region& b) noexcept { return &a == &b; }

 private:
  static void* or_throw(void* p) {
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }

  /// In C++ a block of no bytes is a block of its own.
  static constexpr std::size_t some(std::size_t bytes) { return bytes + (bytes == 0); }

  hs_region control_ = {};
};

static_assert(resource<region> && expanding_resource<region> && reallocating_resource<region> &&
              generous_resource<region> && owning_resource<region> && resettable_resource<region> &&
              measured_resource<region>);

}  // namespace heapsmith
