// Where the columns of a typed pool lie, how it grows, and how bits move: functions on integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace heapsmith::detail {

/// A column has an element of `bytes` bytes, at multiples of `align`, for each `slots` slots: one
/// for values, 64 for a word of bits.
struct column_shape {
  std::size_t bytes;
  std::size_t align;
  std::size_t slots = 1;

  friend constexpr bool operator==(const column_shape&, const column_shape&) = default;
};

/// Columns one behind the other in one block.
template <std::size_t N>
struct block_shape {
  std::array<std::size_t, N> offset;
  std::size_t bytes;
  std::size_t align;
};

/// Returns: `n` rounded up to a multiple of `align`, a power of two; wraps like the addition.
constexpr std::size_t rounded_up(std::size_t n, std::size_t align) {
  return (n + align - 1) & ~(align - 1);
}

/// Returns: the block of `capacity` slots, each column at a multiple of `column_align`; nothing
/// when its size is more than a block can have.
template <std::size_t N>
constexpr std::optional<block_shape<N>> shape_of(const std::array<column_shape, N>& columns,
                                                 std::size_t capacity, std::size_t column_align) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  block_shape<N> shape = {{}, 0, 1};
  for (std::size_t c = 0; c < N; ++c) {
    const std::size_t align = std::max(columns[c].align, c == 0 ? std::size_t{1} : column_align);
    shape.align = std::max({shape.align, align, column_align});
    const std::size_t elements = capacity / columns[c].slots + (capacity % columns[c].slots != 0);
    shape.offset[c] = rounded_up(shape.bytes, align);
    if (shape.offset[c] < shape.bytes || shape.offset[c] > most) return std::nullopt;
    if (elements > (most - shape.offset[c]) / columns[c].bytes) return std::nullopt;
    shape.bytes = shape.offset[c] + elements * columns[c].bytes;
  }
  return shape;
}

/// The capacity that a growable pool starts at and does not fall below.
inline constexpr std::size_t least_capacity = 16;

/// Returns: what a full pool of `capacity` grows to, at most `limit`.
constexpr std::size_t grown(std::size_t capacity, std::size_t limit) {
  if (capacity < least_capacity) return std::min(least_capacity, limit);
  return capacity > limit / 2 ? limit : 2 * capacity;
}

/// Returns: whether a pool of `capacity` that has come down to `used` slots gives half of it back.
constexpr bool is_worth_halving(std::size_t capacity, std::size_t used) {
  return capacity >= 2 * least_capacity && used <= capacity / 4;
}

/// Where the window of slots that are in use goes when it has reached one end of its block.
struct window_move {
  std::size_t capacity;  // of the new block
  std::size_t offset;    // of the window in it
};

/**
 * Returns: the block for a window of `used` slots at `offset` that needs room at its end, or at
 * its beginning.
 *
 * A window that fills at most half of its block is put into the middle of one as large: a quarter
 * of the capacity is then free at either end, which pays for the move. `is_pinned` forbids that:
 * every slot keeps its distance to the others, used or not, and the block doubles at that end.
 */
constexpr window_move moved_window(std::size_t capacity, std::size_t offset, std::size_t used,
                                   std::size_t limit, bool at_end, bool is_pinned) {
  if (!is_pinned && capacity >= least_capacity && used <= capacity / 2)
    return {capacity, (capacity - used) / 2};
  const std::size_t larger = grown(capacity, limit);
  return {larger, at_end ? offset : offset + (larger - capacity)};
}

/// Effects: `count` bits from bit `from` of `source` become those from bit `to` on of `target`.
/// Requires: the two do not overlap.
constexpr void copy_bits(std::uint64_t* target, std::size_t to, const std::uint64_t* source,
                         std::size_t from, std::size_t count) {
  while (count != 0) {
    const std::size_t n = std::min({count, 64 - to % 64, 64 - from % 64});
    const std::uint64_t mask = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    const std::uint64_t bits = source[from / 64] >> (from % 64) & mask;
    std::uint64_t& word = target[to / 64];
    word = (word & ~(mask << (to % 64))) | bits << (to % 64);
    to += n;
    from += n;
    count -= n;
  }
}

}  // namespace heapsmith::detail
