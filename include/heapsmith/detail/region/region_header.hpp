// Reading the header of a region's block without holding the region's lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/region/block_cache.hpp"

namespace heapsmith::detail {

/// The layout of a header: from low bits to high, flags, size and seal (src/region/block.hpp).
struct region_header {
  static constexpr std::uint64_t after_free = 2;  ///< any other flag means that it is not live
  static constexpr unsigned seal_shift = 48;

  static std::uint64_t of(const void* p) noexcept {
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(p) - sizeof(probe::word);
    // The compiler assumes that nothing is in front of a block. This hides where `at` comes from.
    asm("" : "+r"(at));
    return probe::load(*reinterpret_cast<const probe::word*>(at));
  }
  /// The part of the seal that depends on the address. The rest is the region's cookie.
  static constexpr std::uint64_t seal(std::uintptr_t address) {
    return std::uint64_t{address} << (seal_shift - 4);
  }
};

/**
 * Recognises the live blocks of a region for which a cache has one of its `Lists` lists. It
 * mistakes one other pointer in 65536 for one.
 *
 * Recognising a block does not need the region's lock. Only its owner changes the size in the
 * header of a live block. The flag after_free changes when the block in front is freed or
 * allocated. The region reads and writes headers as whole words with relaxed atomics, so a reader
 * sees either value.
 *
 * Only a thread that holds the region's lock changes the state of this object. Readers load it
 * relaxed: the block they pass was allocated after the changes that concern it, and came to them
 * from the thread that allocated it.
 */
template <unsigned Lists>
class live_blocks {
 public:
  /// From now on blocks may also lie in this buffer.
  void learn_memory(const void* buffer, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer), end = begin + bytes;
    const std::uintptr_t low = low_.load(std::memory_order_relaxed);
    const std::uintptr_t high = low + span_.load(std::memory_order_relaxed);
    const std::uintptr_t new_low = span_bytes() == 0 ? begin : std::min(low, begin);
    const std::uintptr_t new_high = span_bytes() == 0 ? end : std::max(high, end);
    low_.store(new_low, std::memory_order_relaxed);
    span_.store(new_high - new_low, std::memory_order_relaxed);
  }

  /// Returns: the distance from the lowest byte of all buffers to the highest. No block is larger.
  std::size_t span_bytes() const noexcept { return span_.load(std::memory_order_relaxed); }

  /// Learns the region's cookie from a block that it has just allocated.
  void learn_seal(const void* p) noexcept {
    const std::uint64_t sealed =
        region_header::of(p) ^ region_header::seal(reinterpret_cast<std::uintptr_t>(p));
    const std::uint64_t cookie = sealed >> region_header::seal_shift << region_header::seal_shift;
    // Written only if it changes, so that the line stays in the caches of all processors.
    if (cookie != cookie_.load(std::memory_order_relaxed))
      cookie_.store(cookie, std::memory_order_relaxed);
  }

  /// All blocks have ended, and the next ones will be sealed differently.
  void forget_seal() noexcept { cookie_.store(unknown, std::memory_order_relaxed); }

  /// Returns: the cache list for the block at `p`; 0 if `p` is not the start of a small live block.
  unsigned list_of(const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    if (address - low_.load(std::memory_order_relaxed) >= span_bytes() || address % 16 != 0)
        [[unlikely]]
      return 0;
    const std::uint64_t header = region_header::of(p) ^ region_header::seal(address) ^
                                 cookie_.load(std::memory_order_relaxed);
    // Sizes of 32, 48, … become 0, 1, … Remaining bits of flags or a seal make the number large.
    const std::uint64_t steps = std::rotr((header & ~region_header::after_free) - 32, 4);
    return steps < Lists ? static_cast<unsigned>(steps) + 1 : 0;
  }

 private:
  static constexpr std::uint64_t unknown =
      1;  // matches no live block, whose headers lack this flag

  std::atomic<std::uintptr_t> low_ = 0;
  std::atomic<std::size_t> span_ = 0;
  std::atomic<std::uint64_t> cookie_ = unknown;
};

}  // namespace heapsmith::detail
