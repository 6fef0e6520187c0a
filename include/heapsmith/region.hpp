// A region as a C++ resource: malloc over memory that the caller supplies.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <new>

#include "heapsmith/detail/or_throw.hpp"
#include "heapsmith/detail/region/visitor.hpp"
#include "heapsmith/region.h"
#include "heapsmith/resource.hpp"

namespace heapsmith {

using region_stats = hs_region_statistics;
using region_survey = hs_region_survey;
using region_block = hs_region_block;

/// The bins of hs_region: for memory of any size, with 16 KiB of control data.
struct fine_bins {
  using control = hs_region;
  /// The caches of a concurrent region, and the sizes of their blocks: 24, 40 and so on.
  static constexpr unsigned caches = 32, cached_sizes = 64;
  static constexpr auto init = hs_region_init;
  static constexpr auto add_memory = hs_region_add_memory;
  static constexpr auto malloc = hs_region_malloc;
  static constexpr auto calloc = hs_region_calloc;
  static constexpr auto aligned_alloc = hs_region_aligned_alloc;
  static constexpr auto free = hs_region_free;
  static constexpr auto realloc = hs_region_realloc;
  static constexpr auto aligned_realloc = hs_region_aligned_realloc;
  static constexpr auto try_expand = hs_region_try_expand;
  static constexpr auto usable_size = hs_region_usable_size;
  static constexpr auto owns = hs_region_owns;
  static constexpr auto reset = hs_region_reset;
  static constexpr auto destroy = hs_region_destroy;
  static constexpr auto defragment = hs_region_defragment;
  static constexpr auto limit_deferred = hs_region_limit_deferred;
  static constexpr auto stats = hs_region_stats;
  static constexpr auto survey_blocks = hs_region_survey_blocks;
  static constexpr auto for_each_block = hs_region_for_each_block;
  static constexpr auto check = hs_region_check;
};

/**
 * A complete malloc over buffers that the caller supplies. `region` wraps hs_region.
 *
 * `Bins` chooses how large the control data is, which the object holds: 16 KiB in a `region`, and
 * 512 bytes in a `small_region`, for buffers below 1 MiB (small_region.hpp). The buffers hold
 * blocks with headers of 8 bytes, and nothing else. A region neither copies nor moves, so there is
 * no try_create: construct it without memory and call init. Destroying the region ends all blocks;
 * the buffers stay the caller's.
 *
 * Errors: the constructor, allocate, reallocate and allocate_at_least throw std::bad_alloc; nothing
 * has changed then. A request fails only if no free part of the buffers is large enough; see
 * hs_region for alignments above 16.
 * Complexity: constant below 1 KiB if a block of that size was freed before; else at most one step
 * for each bit of the size. See hs_region for the exceptions.
 * Thread safety: none. synchronized_region and concurrent_region are for several threads.
 *
 * ```cpp
 * alignas(16) static unsigned char buffer[100'000];
 * heapsmith::region region(buffer, sizeof buffer);
 * void* p = region.allocate(100, 64);
 * region.deallocate(p, 100, 64);
 * ```
 */
template <class Bins>
class basic_region {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;

  /// Effects: makes a region without memory. Every request fails until init or add_memory succeeds.
  basic_region() noexcept = default;

  /// Effects: as init. Errors: throws std::bad_alloc if init refuses the buffer.
  basic_region(void* buffer, std::size_t bytes) {
    if (!init(buffer, bytes)) detail::raise(std::bad_alloc());
  }

  basic_region(const basic_region&) = delete;
  basic_region& operator=(const basic_region&) = delete;
  ~basic_region() { Bins::destroy(&control_); }

  /// Effects: starts the region over a buffer of any address and size.
  /// Returns: false if the buffer is null or too small for a block, or the region was started
  /// before.
  bool init(void* buffer, std::size_t bytes) noexcept {
    return Bins::init(&control_, buffer, bytes) == 0;
  }

  /// Effects: adds a buffer, and joins it with buffers that it adjoins.
  /// Returns: false if the buffer is null, overlaps another or is too small, or if there are too
  /// many; see hs_region_add_memory.
  bool add_memory(void* buffer, std::size_t bytes) noexcept {
    return Bins::add_memory(&control_, buffer, bytes) == 0;
  }

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return detail::or_throw(try_allocate(bytes, align));
  }

  /// As allocate. Errors: returns nullptr.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? Bins::malloc(&control_, some(bytes))
                                  : Bins::aligned_alloc(&control_, align, some(bytes));
  }

  /// Effects: frees the block at `p`; does nothing if `p` is nullptr.
  /// Requires: the block is from this region.
  void deallocate(void* p) noexcept { Bins::free(&control_, p); }
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    Bins::free(&control_, p);
  }

  /// Effects: makes the block `new_bytes` long, longer or shorter, without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) noexcept {
    return Bins::try_expand(&control_, p, some(new_bytes)) == 0;
  }

  /// Effects: resizes the block in place or by moving it, keeping its contents. If `p` is nullptr,
  /// allocates.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return detail::or_throw(try_reallocate(p, old_bytes, new_bytes, align));
  }

  /// As reallocate. Errors: returns nullptr, and the block is as it was.
  [[nodiscard]] void* try_reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                     std::size_t align = min_alignment) noexcept {
    return align <= min_alignment ? Bins::realloc(&control_, p, some(new_bytes))
                                  : Bins::aligned_realloc(&control_, p, align, some(new_bytes));
  }

  /// Returns: a block and its usable size, with which it may be deallocated.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  /// Returns: the usable size of the block at `p`.
  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    return Bins::usable_size(&control_, p);
  }

  /// Returns: whether `p` points into one of the buffers.
  [[nodiscard]] bool owns(const void* p) const noexcept { return Bins::owns(&control_, p) != 0; }

  /// Effects: ends all blocks; the buffers stay.
  void reset() noexcept { Bins::reset(&control_); }

  /// Effects: joins deferred blocks with their free neighbours.
  /// Returns: the size of the largest request that would now succeed.
  std::size_t defragment() noexcept { return Bins::defragment(&control_); }

  /// Effects: from now on the region defers at most `bytes` bytes of freed blocks.
  void limit_deferred(std::size_t bytes) noexcept { Bins::limit_deferred(&control_, bytes); }

  /// Returns: see hs_region_stats. Complexity: linear in the number of buffers.
  [[nodiscard]] region_stats stats() const noexcept {
    region_stats out;
    out.size = sizeof out;
    Bins::stats(&control_, &out);
    return out;
  }

  /// Returns: see hs_region_survey. Complexity: linear in the number of blocks.
  [[nodiscard]] region_survey survey() const noexcept {
    region_survey out;
    out.size = sizeof out;
    Bins::survey_blocks(&control_, &out);
    return out;
  }

  /// Effects: calls `visit(const region_block&)` for every block of a buffer in the order of
  /// addresses, one buffer after another.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    detail::visitor context(visit);
    Bins::for_each_block(&control_, context.template call<region_block>, &context);
  }

  /// Returns: 0 if all invariants hold; else the number of a broken one. See hs_region_check.
  [[nodiscard]] int check() const noexcept { return Bins::check(&control_); }

  /// Returns: the region for calls of the C API.
  [[nodiscard]] typename Bins::control* native() noexcept { return &control_; }
  [[nodiscard]] const typename Bins::control* native() const noexcept { return &control_; }

  /// Returns: whether both are the same region. Only the region that allocated a block can free it.
  friend bool operator==(const basic_region& a, const basic_region& b) noexcept { return &a == &b; }

 private:
  /// A C++ resource allocates a block even for 0 bytes.
  static constexpr std::size_t some(std::size_t bytes) { return bytes + (bytes == 0); }

  typename Bins::control control_ = {};
};

/// A region for memory of any size.
using region = basic_region<fine_bins>;

static_assert(resource<region> && expanding_resource<region> && reallocating_resource<region> &&
              generous_resource<region> && owning_resource<region> && resettable_resource<region> &&
              measured_resource<region>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
