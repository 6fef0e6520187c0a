// The size classes of pool resources and the layout of their pieces, as functions on integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith::detail {

/**
 * Classes lie 8 bytes apart up to 64, and then four to a doubling: 80 96 112 128 160 192 224 256 …
 *
 * Invariant, whole_alignment: a size that is a multiple of a power of two has a class that is a
 * multiple of it too. So a size rounded up to a multiple of its alignment finds blocks that are
 * aligned, if only the first one of a piece is.
 */
struct pool_classes {
  /// Requires: 0 < bytes. Returns: the first class whose blocks have that many bytes.
  static constexpr unsigned of(std::size_t bytes) {
    if (bytes <= 64) return static_cast<unsigned>((bytes - 1) / 8);
    // The highest bit of bytes - 1 names the doubling, the two bits below it the quarter.
    const unsigned spacing = static_cast<unsigned>(std::bit_width(bytes - 1)) - 3;
    return 4 * (spacing - 3) + static_cast<unsigned>((bytes - 1) >> spacing);
  }

  static constexpr std::size_t bytes(unsigned cls) {
    if (cls < 8) return 8 * (std::size_t{cls} + 1);
    return (std::size_t{cls % 4} + 5) << (cls / 4 + 2);
  }

  /// Requires: `align` is a power of two, and neither it nor `bytes` is above the largest class.
  /// Returns: the size whose class serves the request.
  static constexpr std::size_t padded(std::size_t bytes, std::size_t align) {
    const std::size_t n = bytes == 0 ? 1 : bytes;
    return (n + align - 1) & ~(align - 1);
  }

  static constexpr unsigned of(std::size_t bytes, std::size_t align) {
    return of(padded(bytes, align));
  }
};

/**
 * A piece is what a pool takes from upstream: `Bytes` bytes at a multiple of `Bytes`, so that the
 * address of a block tells that of its piece. It holds its header and blocks of one class.
 *
 * Headers all at the start of their pieces would share a few sets of the processor's caches, and
 * each free reads one. So the address of a piece also tells at which of `colours` places its header
 * lies; the first block lies behind them all.
 */
template <std::size_t Bytes>
struct piece_layout {
  static_assert(std::has_single_bit(Bytes) && Bytes >= 1024, "a power of two, at least 1 KiB");
  static_assert(Bytes <= std::size_t{1} << 24, "a piece counts its blocks in 32 bits");

  static constexpr std::size_t header_bytes = 128;
  static constexpr std::size_t colours = Bytes >= 16 * 1024 ? 4 : 1;

  /// An eighth of a piece: it holds at least six such blocks.
  static constexpr std::size_t largest_block = Bytes / 8;
  static constexpr unsigned classes = pool_classes::of(largest_block) + 1;

  static constexpr bool serves(std::size_t bytes, std::size_t align) {
    return bytes <= largest_block && align <= largest_block;
  }

  static constexpr std::uintptr_t start(std::uintptr_t block) { return block & ~(Bytes - 1); }
  static constexpr std::uintptr_t header(std::uintptr_t block) {
    return start(block) + block / Bytes % colours * header_bytes;
  }

  /// Where the first block of the class lies, counted from the start of the piece: at a multiple of
  /// the highest power of two that divides the size, up to which blocks can be aligned.
  static constexpr std::size_t first_block(unsigned cls) {
    const std::size_t size = pool_classes::bytes(cls);
    const std::size_t align = size & (~size + 1);
    return (colours * header_bytes + align - 1) & ~(align - 1);
  }

  static constexpr std::uint32_t capacity(unsigned cls) {
    return static_cast<std::uint32_t>((Bytes - first_block(cls)) / pool_classes::bytes(cls));
  }
};

}  // namespace heapsmith::detail
