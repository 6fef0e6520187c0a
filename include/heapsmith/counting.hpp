// A resource that counts what is asked of another one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>

#include "heapsmith/resource.hpp"

namespace heapsmith {

/// What counting<R> tells. Bytes are those that were asked for.
struct resource_counts {
  std::size_t allocations = 0;    ///< blocks given …
  std::size_t deallocations = 0;  ///< … and taken back, one by one
  std::size_t refusals = 0;       ///< requests that found no memory
  std::size_t resizes = 0;        ///< blocks expanded or reallocated
  std::size_t in_use_bytes = 0;   ///< of blocks that have not ended
  std::size_t peak_bytes = 0;     ///< the most that in_use_bytes ever was

  std::size_t in_use_blocks() const { return allocations - deallocations - ended; }
  std::size_t ended = 0;  ///< blocks that release or reset ended
};

/**
 * Counts blocks and bytes of the resource that it owns.
 *
 * # Operations
 * Those of `R`: try_expand, reallocate, owns, release and reset among them. stats tells the counts,
 * base reaches the resource. Not allocate_at_least: a block that may be deallocated with several
 * sizes cannot be counted in bytes.
 *
 * Errors and complexity: those of `R`, and some additions.
 * Thread safety: that of one thread; synchronized<counting<R>> is for many.
 *
 * ```cpp
 * heapsmith::counting<heapsmith::default_resource> counted;
 * heapsmith::unsynchronized_pool pool(counted);
 * void* p = pool.allocate(100);
 * const auto asked = counted.stats().allocations;    // once, for a piece
 * ```
 */
template <resource R>
class counting {
 public:
  static constexpr std::size_t min_alignment = resource_traits<R>::min_alignment;

  /// Effects: constructs the resource from the arguments.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit(sizeof...(Arguments) == 1) counting(Arguments&&... arguments)
      : resource_(std::forward<Arguments>(arguments)...) {}

  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;
  ~counting() = default;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    ++counts_.refusals;  // until it is known better, also when it throws
    void* p = resource_.allocate(bytes, align);
    --counts_.refusals;
    return given(p, bytes);
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    void* p = resource_.try_allocate(bytes, align);
    if (p != nullptr) return given(p, bytes);
    ++counts_.refusals;
    return nullptr;
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    ++counts_.deallocations;
    counts_.in_use_bytes -= bytes;
    resource_.deallocate(p, bytes, align);
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<R>
  {
    if (!resource_.try_expand(p, old_bytes, new_bytes, align)) return false;
    resized(old_bytes, new_bytes);
    return true;
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align)
    requires reallocating_resource<R>
  {
    ++counts_.refusals;
    void* moved = resource_.reallocate(p, old_bytes, new_bytes, align);
    --counts_.refusals;
    resized(old_bytes, new_bytes);
    return moved;
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<R>
  {
    return resource_.owns(p);
  }

  void release() noexcept
    requires releasing_resource<R>
  {
    resource_.release();
    all_ended();
  }

  void reset() noexcept
    requires resettable_resource<R>
  {
    resource_.reset();
    all_ended();
  }

  [[nodiscard]] const resource_counts& stats() const noexcept { return counts_; }
  [[nodiscard]] R& base() noexcept { return resource_; }
  [[nodiscard]] const R& base() const noexcept { return resource_; }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  void* given(void* p, std::size_t bytes) noexcept {
    ++counts_.allocations;
    in_use(counts_.in_use_bytes + bytes);
    return p;
  }
  void resized(std::size_t old_bytes, std::size_t new_bytes) noexcept {
    ++counts_.resizes;
    in_use(counts_.in_use_bytes - old_bytes + new_bytes);
  }
  void all_ended() noexcept {
    counts_.ended += counts_.in_use_blocks();
    counts_.in_use_bytes = 0;
  }
  void in_use(std::size_t bytes) noexcept {
    counts_.in_use_bytes = bytes;
    counts_.peak_bytes = std::max(counts_.peak_bytes, bytes);
  }

  R resource_;
  resource_counts counts_;
};

}  // namespace heapsmith
