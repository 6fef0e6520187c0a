// What the header in front of a region's block tells a reader who does not hold the region's lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/region/block_cache.hpp"

namespace heapsmith::detail {

/// The layout of a header: flags, size and seal, from low bits to high (src/region/block.hpp).
struct region_header {
  static constexpr std::uint64_t after_free = 2;  ///< all other flags: not live
  static constexpr unsigned seal_shift = 48;

  static std::uint64_t of(const void* p) noexcept {
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(p) - sizeof(probe::word);
    // The compiler takes a block for an object of its own, with nothing in front: it shall forget.
    asm("" : "+r"(at));
    return probe::load(*reinterpret_cast<const probe::word*>(at));
  }
  /// The part of the seal that depends on the address; the rest is the region's cookie.
  static constexpr std::uint64_t seal(std::uintptr_t address) {
    return std::uint64_t{address} << (seal_shift - 4);
  }
};

/**
 * Recognises the small live blocks of a region, exactly but for one pointer in 65536.
 *
 * It may be asked without the region's lock. The size in the header of a live block does not change
 * but by its owner's doing. The flag beside it does, when the block in front is freed or taken: the
 * region reads and writes headers as whole words with relaxed atomics, so either value is seen.
 *
 * What it knows is changed by the holder of the region's lock only, and is read relaxed: whoever
 * asks about a block got it from a thread that was given it later than that.
 */
class live_blocks {
 public:
  /// Blocks may lie between these addresses from now on, too.
  void learn_memory(const void* buffer, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer), end = begin + bytes;
    const std::uintptr_t low = low_.load(std::memory_order_relaxed);
    const std::uintptr_t high = low + span_.load(std::memory_order_relaxed);
    const std::uintptr_t new_low = span_bytes() == 0 ? begin : std::min(low, begin);
    const std::uintptr_t new_high = span_bytes() == 0 ? end : std::max(high, end);
    low_.store(new_low, std::memory_order_relaxed);
    span_.store(new_high - new_low, std::memory_order_relaxed);
  }

  /// From the lowest byte of all buffers to the highest: no block is larger.
  std::size_t span_bytes() const noexcept { return span_.load(std::memory_order_relaxed); }

  /// `p` is a block that the region has just handed out: its header is sealed as all are.
  void learn_seal(const void* p) noexcept {
    const std::uint64_t sealed =
        region_header::of(p) ^ region_header::seal(reinterpret_cast<std::uintptr_t>(p));
    const std::uint64_t cookie = sealed >> region_header::seal_shift << region_header::seal_shift;
    // Written once, so that the line stays in every processor's cache.
    if (cookie != cookie_.load(std::memory_order_relaxed))
      cookie_.store(cookie, std::memory_order_relaxed);
  }

  /// All blocks have ended, and the next ones are sealed differently.
  void forget_seal() noexcept { cookie_.store(unknown, std::memory_order_relaxed); }

  /// Returns: the cache list for blocks of the size of that at `p`; 0 when `p` is not the start of
  /// a small live block.
  unsigned list_of(const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    if (address - low_.load(std::memory_order_relaxed) >= span_bytes() || address % 16 != 0)
        [[unlikely]]
      return 0;
    const std::uint64_t header = region_header::of(p) ^ region_header::seal(address) ^
                                 cookie_.load(std::memory_order_relaxed);
    // Sizes of 32, 48, … become 0, 1, …; remains of flags or a seal make the number large.
    const std::uint64_t steps = std::rotr((header & ~region_header::after_free) - 32, 4);
    return steps < cache_lists::last ? static_cast<unsigned>(steps) + 1 : 0;
  }

 private:
  static constexpr std::uint64_t unknown = 1;  // no header has this flag and is live

  std::atomic<std::uintptr_t> low_ = 0;
  std::atomic<std::size_t> span_ = 0;
  std::atomic<std::uint64_t> cookie_ = unknown;
};

}  // namespace heapsmith::detail
