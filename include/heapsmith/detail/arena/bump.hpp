// The arithmetic of arenas, apart from memory: where the next block lies, how large a piece is
// taken.
#pragma once

#include <concepts>
#include <limits>

namespace heapsmith::detail {

/**
 * Where a block would lie that is bumped off the interval [position, limit).
 *
 * A template over the integer, so that tests try every argument there is with 8 bits.
 */
template <std::unsigned_integral U>
struct bump_place {
  U begin;    ///< where the block starts
  U end;      ///< where it ends, and the next one may start
  bool fits;  ///< the other members mean something only then
};

/// No program on x86-64 has addresses above this one, half of what the integer counts. An interval
/// that begins here holds no block.
template <std::unsigned_integral U>
inline constexpr U highest_position = static_cast<U>(std::numeric_limits<U>::max() / 2 + 1);

/// As large as the largest object that C++ knows.
template <std::unsigned_integral U>
inline constexpr U largest_request = std::numeric_limits<U>::max() / 2;

/// Requires: `align` is a power of two; `position` is at most highest_position, which is a multiple
/// of every such `align`, so that the result is at most highest_position too.
template <std::unsigned_integral U>
constexpr U bump_align(U position, U align) noexcept {
  const U below = static_cast<U>(align - 1);
  return static_cast<U>(static_cast<U>(position + below) & static_cast<U>(~below));
}

/**
 * Requires: `position` and `limit` are at most highest_position, `align` is a power of two.
 *
 * Invariant, no_overflow: begin is at most highest_position and a request that may fit at most
 * largest_request, and their sum is the largest integer. So one comparison decides; the second is
 * known to the compiler when the size is, and a block of no bytes gets one, to be unlike others.
 */
template <std::unsigned_integral U>
[[gnu::always_inline]] constexpr bump_place<U> bump(U position, U limit, U bytes,
                                                    U align) noexcept {
  const U begin = bump_align(position, align);
  const U end = static_cast<U>(begin + bytes + (bytes == 0 ? 1 : 0));
  return {begin, end,
          !(static_cast<int>(end > limit) | static_cast<int>(bytes > largest_request<U>))};
}

/// Requires: `piece_align` and `align` are powers of two.
/// Returns: how long a piece must be to hold a header and then the block, wherever the piece lies
/// at a multiple of `piece_align`; 0: no piece is that long.
template <std::unsigned_integral U>
constexpr U piece_for(U header, U piece_align, U bytes, U align) noexcept {
  const U padding = static_cast<U>(align > piece_align ? align - piece_align : 0);
  const U fixed = static_cast<U>(header + padding + (bytes == 0 ? 1 : 0));
  const bool is_small = padding <= largest_request<U> - header - 1;
  return is_small && bytes <= static_cast<U>(largest_request<U> - fixed)
             ? static_cast<U>(fixed + bytes)
             : U{0};
}

/// How long the next piece should be: as long as all that were held at a time, so that their number
/// grows with the logarithm of the bytes, and what one round needed is one piece in a later one.
template <std::unsigned_integral U>
constexpr U next_piece(U need, U held, U least) noexcept {
  const U grown = held < least ? least : held;
  return need > grown ? need : grown;
}

}  // namespace heapsmith::detail
