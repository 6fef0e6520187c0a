// Where the columns of a typed pool lie, how it grows, and how bits move: functions on integers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "heapsmith/detail/pool/bit_tree.hpp"

namespace heapsmith::detail {

/// A column: one element of `bytes` bytes, at a multiple of `align`, for every `slots` slots. That
/// is 1 for values and 64 for words of bits, which have the levels of a bit_tree behind them.
struct column_shape {
  std::size_t bytes;
  std::size_t align;
  std::size_t slots = 1;

  constexpr bool is_bits() const { return slots == 64; }
  /// Returns: how many elements the column has for `n` slots.
  constexpr std::size_t elements(std::size_t n) const {
    return is_bits() ? bit_tree::all_words_of(n) : n;
  }
  friend constexpr bool operator==(const column_shape&, const column_shape&) = default;
};

/// Columns one after the other in one block.
template <std::size_t N>
struct block_shape {
  std::array<std::size_t, N> offset;
  std::size_t bytes;
  std::size_t align;
};

constexpr std::size_t least(std::size_t a, std::size_t b) {
  return a < b ? a : b;
}
constexpr std::size_t most(std::size_t a, std::size_t b) {
  return a < b ? b : a;
}

/// Returns: `n` rounded up to a multiple of `align`, a power of two; wraps around on overflow.
constexpr std::size_t rounded_up(std::size_t n, std::size_t align) {
  return (n + align - 1) & ~(align - 1);
}

/// Returns: the block of `capacity` slots, each column at a multiple of `column_align`, or nothing
/// if no block can be that large.
template <std::size_t N>
constexpr std::optional<block_shape<N>> shape_of(const std::array<column_shape, N>& columns,
                                                 std::size_t capacity, std::size_t column_align) {
  constexpr std::size_t limit = std::numeric_limits<std::ptrdiff_t>::max();
  block_shape<N> shape = {{}, 0, 1};
  for (std::size_t c = 0; c < N; ++c) {
    const std::size_t align = most(columns[c].align, c == 0 ? 1 : column_align);
    shape.align = most(most(shape.align, align), column_align);
    shape.offset[c] = rounded_up(shape.bytes, align);
    if (shape.offset[c] < shape.bytes || shape.offset[c] > limit) return std::nullopt;
    const std::size_t elements = columns[c].elements(capacity);
    if (elements > (limit - shape.offset[c]) / columns[c].bytes) return std::nullopt;
    shape.bytes = shape.offset[c] + elements * columns[c].bytes;
  }
  return shape;
}

/// Returns: how many slots fit into the address space, at most `limit`. Bits are left out.
template <std::size_t N>
constexpr std::size_t most_slots(const std::array<column_shape, N>& columns, std::size_t limit) {
  std::size_t bytes = 0;  // of a slot
  for (const column_shape& column : columns) bytes += column.is_bits() ? 0 : column.bytes;
  return least(limit, std::numeric_limits<std::ptrdiff_t>::max() / bytes);
}

/// Returns: how many slots one block can have whose indices go up to `largest`. In a ring, a
/// position may be up to twice the capacity before it is brought back.
constexpr std::size_t most_in_block(std::size_t largest, bool is_ring) {
  return is_ring ? largest / 2 : largest;
}

/// Returns: the binary logarithm of the slots in a piece: about 4 KiB of rows, 64 to 1024 slots,
/// and never more than a sixteenth of all indices.
constexpr unsigned piece_shift(std::size_t row_bytes, unsigned index_bits) {
  const std::size_t wanted = least(most(std::bit_floor(4096 / row_bytes + 1), 64), 1024);
  const auto shift = static_cast<unsigned>(std::countr_zero(wanted));
  return index_bits < shift + 4 ? index_bits - 4 : shift;
}

/// Returns: how many pieces a pool can hold: one less than the indices have, so that the piece
/// behind the last one is not the first one again.
constexpr std::size_t most_pieces(unsigned index_bits, unsigned shift) {
  return (std::size_t{1} << (index_bits - shift)) - 1;
}

/// Returns: how many slots fit into most_pieces(), wherever in its piece the first one lies.
constexpr std::size_t most_in_pieces(unsigned index_bits, unsigned shift) {
  return (most_pieces(index_bits, shift) - 1) << shift;
}

/// Returns: how many pieces `slots` slots need, wherever in its piece the first one lies.
constexpr std::size_t pieces_for(std::size_t slots, unsigned shift) {
  if (slots == 0) return 0;
  const std::size_t before_last = slots - 1;
  const std::size_t mask = (std::size_t{1} << shift) - 1;
  return (before_last >> shift) + ((before_last & mask) != 0) + 1;
}

/// Returns: the bytes of `entries` entries of `each` bytes, followed by as many bits of a bit_tree
/// if `has_bits`; or nothing if no block can be that large.
constexpr std::optional<std::size_t> directory_bytes(std::size_t entries, std::size_t each,
                                                     bool has_bits) {
  const std::array<column_shape, 2> columns = {{{each, 1}, {sizeof(std::uint64_t), 1, 64}}};
  if (has_bits) {
    const auto shape = shape_of(columns, entries, 1);
    return shape ? std::optional(shape->bytes) : std::nullopt;
  }
  const auto shape = shape_of(std::array{columns[0]}, entries, 1);
  return shape ? std::optional(shape->bytes) : std::nullopt;
}

/// The capacity at which a growable pool starts, and below which it does not halve.
inline constexpr std::size_t least_capacity = 16;

/// Returns: the next capacity of a full pool, at most `limit`.
constexpr std::size_t grown(std::size_t capacity, std::size_t limit) {
  if (capacity < least_capacity) return least(least_capacity, limit);
  return capacity > limit / 2 ? limit : 2 * capacity;
}

/// Returns: whether a pool of `capacity` in which `used` slots are left gives half of it back.
constexpr bool is_worth_halving(std::size_t capacity, std::size_t used) {
  return capacity >= 2 * least_capacity && used <= capacity / 4;
}

/// Where a window of slots moves that has reached one end of its block.
struct window_move {
  std::size_t capacity;  // of the new block
  std::size_t offset;    // of the window in it
};

/**
 * Returns: the block for a window of `used` slots at `offset` that needs room at its end, or at
 * its beginning; nothing if no block of up to `limit` slots has that room.
 *
 * A window that fills at most half of its block moves to the middle of a block of the same size: a
 * quarter of the capacity is then free at either end, which pays for the move. So does a window in
 * a block that cannot grow. If `is_pinned`, all slots keep their distances, and the block doubles
 * at the end that needs room.
 */
constexpr std::optional<window_move> moved_window(std::size_t capacity, std::size_t offset,
                                                  std::size_t used, std::size_t limit, bool at_end,
                                                  bool is_pinned) {
  const bool is_half_free = !is_pinned && capacity >= least_capacity && used <= capacity / 2;
  const std::size_t larger = is_half_free ? capacity : grown(capacity, limit);
  if (larger > capacity) return window_move{larger, at_end ? offset : offset + (larger - capacity)};
  if (is_pinned || used >= capacity) return std::nullopt;
  const std::size_t free = capacity - used;
  return window_move{capacity, at_end ? free / 2 : free - free / 2};
}

/// Effects: copies `count` bits from bit `from` of `source` to bit `to` of `target`.
/// Requires: the two do not overlap.
constexpr void copy_bits(std::uint64_t* target, std::size_t to, const std::uint64_t* source,
                         std::size_t from, std::size_t count) {
  while (count != 0) {
    const std::size_t n = least(count, least(64 - to % 64, 64 - from % 64));
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
