// The arithmetic of arenas: where the next block lies, and how large the next piece is.
#pragma once

#include <concepts>
#include <limits>

namespace heapsmith::detail {

/**
 * Where a block lies that is cut off the interval [position, limit).
 *
 * The integer is a template parameter, so that tests can try all arguments of 8 bits.
 */
template <std::unsigned_integral U>
struct bump_result {
  U begin;    ///< where the block starts
  U end;      ///< where it ends, and the next one may start
  bool fits;  ///< if false, the other members mean nothing
};

/// Half of the integer's range. No program on x86-64 has addresses above it, so an interval that
/// begins here has room for no block.
template <std::unsigned_integral U>
inline constexpr U highest_position = static_cast<U>(std::numeric_limits<U>::max() / 2 + 1);

/// The size of the largest object that C++ allows.
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
 * Invariant, no_overflow: `begin` is at most highest_position, a request that may fit is at most
 * largest_request, and the sum of both limits is the largest integer. So one comparison decides.
 * The compiler evaluates the other one if it knows the size. A block of 0 bytes takes 1, so that
 * its address is unique.
 */
template <std::unsigned_integral U>
[[gnu::always_inline]] constexpr bump_result<U> bump(U position, U limit, U bytes,
                                                     U align) noexcept {
  const U begin = bump_align(position, align);
  const U end = static_cast<U>(begin + bytes + (bytes == 0 ? 1 : 0));
  return {begin, end,
          !(static_cast<int>(end > limit) | static_cast<int>(bytes > largest_request<U>))};
}

/// Requires: `piece_align` and `align` are powers of two.
/// Returns: the bytes of a piece that holds a header and then the block, at any multiple of
/// `piece_align`; 0 if no piece can be that large.
template <std::unsigned_integral U>
constexpr U piece_for(U header, U piece_align, U bytes, U align) noexcept {
  const U padding = static_cast<U>(align > piece_align ? align - piece_align : 0);
  const U fixed = static_cast<U>(header + padding + (bytes == 0 ? 1 : 0));
  const bool is_small = padding <= largest_request<U> - header - 1;
  return is_small && bytes <= static_cast<U>(largest_request<U> - fixed)
             ? static_cast<U>(fixed + bytes)
             : U{0};
}

/// Returns: the bytes of the next piece: as many as were ever held at a time. So the number of
/// pieces grows with the logarithm of the bytes, and the memory of one round is one piece in a
/// later round.
template <std::unsigned_integral U>
constexpr U next_piece(U need, U held, U least) noexcept {
  const U grown = held < least ? least : held;
  return need > grown ? need : grown;
}

}  // namespace heapsmith::detail
