// How much of its memory the program has touched: of a large block, asked when the block or the
// program ends; of the whole process, asked now and then.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::recorder {

/// Smaller blocks are taken to be touched whole.
inline constexpr std::size_t large_bytes = 16 * 1024;

/// The large blocks in use. A set has four places; a block that finds none is not watched, and
/// counts as touched whole.
class large_blocks {
 public:
  /// Effects: watches the block at `p`. Complexity: constant. Thread safety: safe.
  void add(std::uintptr_t p, std::size_t bytes);

  /// Returns: the bytes of the watched block at `p`, which is watched no longer, or 0.
  [[gnu::always_inline]] std::size_t remove(std::uintptr_t p) {
    const unsigned set = set_of(p);
    // relaxed: the thread that frees a block has got it from the one that allocated it, by a
    // synchronisation of the program's own.
    if (used_[set].load(relaxed) == 0) [[likely]]
      return 0;
    return remove_from(set, p);
  }

  /// Effects: calls f(address, bytes) for each watched block. Complexity: linear in the places.
  template <class F>
  void for_each(F f) const {
    for (unsigned set = 0; set < sets; ++set) {
      for (unsigned way = 0; way < ways; ++way) {
        // acquire pairs with add(): the bytes belong to this address.
        const std::uintptr_t p = addresses_[set][way].load(acquire);
        if (p > taken) f(p, bytes_[set][way].load(relaxed));
      }
    }
  }

 private:
  static constexpr unsigned sets = 1024, ways = 4;
  static constexpr std::uintptr_t taken = 1;  // a place that is being filled

  static unsigned set_of(std::uintptr_t p) {
    return static_cast<std::uint32_t>((p >> 4) * 0x9E3779B1u) >> 22;
  }
  std::size_t remove_from(unsigned set, std::uintptr_t p);

  atomic<std::uint8_t> used_[sets] = {};
  atomic<std::uintptr_t> addresses_[sets][ways] = {};
  atomic<std::size_t> bytes_[sets][ways] = {};
};

extern constinit large_blocks large;

/// Returns: the bytes of the OS pages of [p, p + bytes) that are in memory. Of a block above 16
/// MiB, 64 parts of 256 pages each stand for the rest. Complexity: at most 64 calls of the kernel.
std::size_t resident_bytes(std::uintptr_t p, std::size_t bytes);

/// Returns: the bytes of the process's OS pages that belong to no file, or 0 if the kernel does not
/// tell. Complexity: three calls of the kernel.
std::uint64_t anonymous_bytes();

}  // namespace heapsmith::recorder
