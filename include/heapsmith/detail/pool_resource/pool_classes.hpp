// The size classes of pool resources and the layout of their pieces, as functions of integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith::detail {

/**
 * The sizes of the classes are the multiples of 8 up to 64, and then four sizes for each doubling:
 * 80 96 112 128 160 192 224 256 …
 *
 * Invariant, whole_alignment: if a size is a multiple of a power of two, so is the size of its
 * class. So if a size is rounded up to a multiple of its alignment, all blocks of its class are
 * aligned, provided that the first block of each piece is.
 */
struct pool_classes {
  /// Requires: 0 < bytes. Returns: the smallest class whose blocks have `bytes` bytes.
  static constexpr unsigned of(std::size_t bytes) {
    if (bytes <= 64) return static_cast<unsigned>((bytes - 1) / 8);
    // The highest bit of bytes - 1 selects the doubling, the next two bits the quarter.
    const unsigned spacing = static_cast<unsigned>(std::bit_width(bytes - 1)) - 3;
    return 4 * (spacing - 3) + static_cast<unsigned>((bytes - 1) >> spacing);
  }

  static constexpr std::size_t bytes(unsigned cls) {
    if (cls < 8) return 8 * (std::size_t{cls} + 1);
    return (std::size_t{cls % 4} + 5) << (cls / 4 + 2);
  }

  /// Requires: `align` is a power of two. `align` and `bytes` are at most the largest class.
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
 * A piece is memory that a pool takes from upstream: `Bytes` bytes at a multiple of `Bytes`, so
 * that the address of a piece follows from the address of a block. It has a header and blocks of
 * one class.
 *
 * If all headers lay at the start of their pieces, they would compete for a few sets of the
 * processor's caches, and each free reads one. So the header lies at one of `colours` offsets,
 * which follows from the address of the piece. The first block lies behind all of them.
 */
template <std::size_t Bytes>
struct piece_layout {
  static_assert(std::has_single_bit(Bytes) && Bytes >= 1024, "a power of two, at least 1 KiB");
  static_assert(Bytes <= std::size_t{1} << 24, "a piece counts its blocks in 32 bits");

  static constexpr std::size_t header_bytes = 128;
  static constexpr std::size_t colours = Bytes >= 16 * 1024 ? 4 : 1;

  /// An eighth of a piece, so that a piece holds at least six blocks.
  static constexpr std::size_t largest_block = Bytes / 8;
  static constexpr unsigned classes = pool_classes::of(largest_block) + 1;

  static constexpr bool serves(std::size_t bytes, std::size_t align) {
    return bytes <= largest_block && align <= largest_block;
  }

  static constexpr std::uintptr_t start(std::uintptr_t block) { return block & ~(Bytes - 1); }
  static constexpr std::uintptr_t header(std::uintptr_t block) {
    return start(block) + block / Bytes % colours * header_bytes;
  }

  /// Returns: the offset of the first block of the class in a piece. It is a multiple of the
  /// highest power of two that divides the block size, which is the highest alignment of such
  /// blocks.
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
