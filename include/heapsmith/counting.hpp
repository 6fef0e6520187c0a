// A resource that counts the blocks and bytes of another one.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>

#include "heapsmith/decorator.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/// The statistics of counting<R>. Bytes are requested sizes.
struct counting_stats {
  std::size_t allocations = 0;    ///< blocks allocated
  std::size_t deallocations = 0;  ///< blocks deallocated, one by one
  std::size_t ended = 0;          ///< blocks ended by release or reset
  std::size_t refusals = 0;       ///< requests that failed
  std::size_t resizes = 0;        ///< blocks expanded or reallocated
  std::size_t in_use_bytes = 0;   ///< of live blocks
  std::size_t peak_bytes = 0;     ///< the maximum of in_use_bytes

  std::size_t in_use_blocks() const { return allocations - deallocations - ended; }
};

/**
 * Owns a resource, and counts its blocks and bytes.
 *
 * # Operations
 * Those of `R`, except allocate_at_least: such a block may be deallocated with several sizes, so
 * its bytes cannot be counted. stats() returns the statistics, base() the resource.
 *
 * Errors: those of `R`. Complexity: that of `R`, and some additions.
 * Thread safety: none; use synchronized<counting<R>> for many threads.
 *
 * ```cpp
 * heapsmith::counting<heapsmith::default_resource> counted;
 * heapsmith::unsynchronized_pool pool(counted);
 * void* p = pool.allocate(100);
 * const auto calls = counted.stats().allocations;    // 1: a piece of the pool
 * ```
 */
template <resource R>
class counting : public decorator<counting<R>, R> {
  using base_class = decorator<counting<R>, R>;
  friend base_class;

 public:
  /// Effects: constructs the resource from the arguments.
  using base_class::base_class;

  sized_block allocate_at_least(std::size_t bytes, std::size_t align = 1) = delete;

  [[nodiscard]] const counting_stats& stats() const noexcept { return stats_; }

 private:
  void before_deallocate(const resource_event& e) noexcept {
    ++stats_.deallocations;
    stats_.in_use_bytes -= e.bytes;
  }

  void note(const resource_event& e) noexcept {
    switch (e.call) {
      case resource_call::allocate:
        ++stats_.allocations;
        set_in_use(stats_.in_use_bytes + e.bytes);
        break;
      case resource_call::deallocate:
        break;
      case resource_call::expand:
      case resource_call::reallocate:
        ++stats_.resizes;
        set_in_use(stats_.in_use_bytes - e.old_bytes + e.bytes);
        break;
      case resource_call::release:
      case resource_call::reset:
        stats_.ended += stats_.in_use_blocks();
        stats_.in_use_bytes = 0;
    }
  }

  void note_refusal(const resource_event& e) noexcept {
    if (e.call != resource_call::expand) ++stats_.refusals;
  }

  void set_in_use(std::size_t bytes) noexcept {
    stats_.in_use_bytes = bytes;
    if (bytes > stats_.peak_bytes) stats_.peak_bytes = bytes;
  }

  counting_stats stats_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
