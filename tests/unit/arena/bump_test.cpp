// The arithmetic of arenas, for all arguments of 8 bits, compared with arithmetic in int.
#include "heapsmith/detail/arena/bump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace heapsmith::detail {
namespace {

using byte = std::uint8_t;

constexpr int highest = highest_position<byte>;
constexpr int largest = largest_request<byte>;
static_assert(highest == 128 && largest == 127);

TEST(Bump, AlignsUpFromAnyPosition) {
  for (int position = 0; position <= highest; ++position)
    for (int align = 1; align <= 128; align *= 2) {
      const int expected = (position + align - 1) / align * align;
      ASSERT_EQ(bump_align(byte(position), byte(align)), expected) << position << " to " << align;
      ASSERT_LE(expected, highest);
    }
}

/// 129 positions, as many limits, all sizes, all alignments: 34 million calls.
TEST(Bump, ServesEveryBlockThatFitsAndNoOther) {
  for (int position = 0; position <= highest; ++position)
    for (int limit = 0; limit <= highest; ++limit)
      for (int bytes = 0; bytes <= 255; ++bytes)
        for (int align = 1; align <= 128; align *= 2) {
          const auto found = bump(byte(position), byte(limit), byte(bytes), byte(align));
          const int begin = (position + align - 1) / align * align;
          const int end = begin + (bytes == 0 ? 1 : bytes);
          if (found.fits != (bytes <= largest && end <= limit) ||
              (found.fits && (found.begin != begin || found.end != end)))
            FAIL() << bytes << " at " << align << " from " << position << " below " << limit;
        }
}

TEST(Bump, NothingFitsIntoAnEmptyInterval) {
  for (int bytes = 0; bytes <= 255; ++bytes)
    for (int align = 1; align <= 128; align *= 2) {
      EXPECT_FALSE(bump(byte(0), byte(0), byte(bytes), byte(align)).fits);
      for (int limit = 0; limit <= highest; ++limit)
        EXPECT_FALSE(bump(byte(highest), byte(limit), byte(bytes), byte(align)).fits);
    }
}

/// A piece of the computed size holds the block at any address. At the worst address, one byte less
/// does not suffice.
TEST(Bump, PiecesAreLargeEnoughAtTheWorstAddress) {
  constexpr int header = 4, piece_align = 4;
  for (int bytes = 0; bytes <= 255; ++bytes)
    for (int align = 1; align <= 128; align *= 2) {
      const int length = piece_for(byte(header), byte(piece_align), byte(bytes), byte(align));
      const int padding = align > piece_align ? align - piece_align : 0;
      const int expected = header + padding + (bytes == 0 ? 1 : bytes);
      ASSERT_EQ(length, expected <= largest ? expected : 0) << bytes << " at " << align;
      int worst = 0;
      for (int start = 0; start < 128; start += piece_align) {
        const int begin = (start + header + align - 1) / align * align;
        worst = std::max(worst, begin + std::max(bytes, 1) - start);
      }
      if (length != 0) {
        ASSERT_EQ(worst, length) << bytes << " at " << align;
      }
    }
}

TEST(Bump, PiecesGrowWithTheBytesHeld) {
  for (int need = 0; need <= 255; ++need)
    for (int held = 0; held <= 255; ++held)
      ASSERT_EQ(next_piece(byte(need), byte(held), byte{16}), std::max({need, held, 16}));
}

TEST(Bump, LimitsOfWideIntegers) {
  using word = std::uint64_t;
  constexpr word top = highest_position<word>;
  EXPECT_TRUE(bump<word>(top - 64, top, 64, 64).fits);
  EXPECT_FALSE(bump<word>(top - 64, top, 65, 64).fits);
  EXPECT_FALSE(bump<word>(0, top, ~word{0}, 1).fits);
  EXPECT_FALSE(bump<word>(1, top, largest_request<word>, word{1} << 63).fits);
  EXPECT_TRUE(bump<word>(1, top, largest_request<word>, 1).fits);
  EXPECT_EQ(piece_for<word>(32, 16, ~word{0}, 1), 0u);
  EXPECT_EQ(piece_for<word>(32, 16, 1, word{1} << 63), 0u);
  EXPECT_EQ(piece_for<word>(32, 16, 100, 64), 32u + 48 + 100);
}

}  // namespace
}  // namespace heapsmith::detail
