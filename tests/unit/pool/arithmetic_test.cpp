// Layout, growth and bits of typed pools: tried exhaustively, or at compile time.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith::detail {
namespace {

constexpr std::array<column_shape, 3> three = {{{4, 4}, {80, 8}, {8, 8, 64}}};

// 100 ints, then 100 rows of 80 bytes from the next line on, then two words of bits and the one
// above them.
static_assert(shape_of(three, 100, 64)->offset == std::array<std::size_t, 3>{0, 448, 8448});
static_assert(shape_of(three, 100, 64)->bytes == 8448 + 24);
static_assert(shape_of(three, 100, 64)->align == 64);
static_assert(shape_of(three, 100, 1)->offset == std::array<std::size_t, 3>{0, 400, 8400});
static_assert(shape_of(three, 100, 1)->align == 8);
static_assert(shape_of(three, 0, 64)->bytes == 0);
static_assert(!shape_of(three, SIZE_MAX, 64) && !shape_of(three, SIZE_MAX / 80, 64) &&
              !shape_of(three, PTRDIFF_MAX / 80, 64) && shape_of(three, PTRDIFF_MAX / 100, 64));

// Handles cost four bytes a slot, a free list one bit, and unused policies nothing.
static_assert(fixed_deque_pool<double>::layout_type::shapes.size() == 1);
static_assert(fixed_pool<double>::layout_type::shapes.size() == 2);
static_assert(pool<double, policy::with_handles>::layout_type::shapes[1] ==
              (column_shape{4, 4, 1}));
static_assert(sizeof(pool<char>::layout_type::slot) == 4);
static_assert(sizeof(pool<char, policy::index<std::uint16_t>>::layout_type::slot) == 2);
static_assert(sizeof(fixed_deque_pool<char>::layout_type::slot) == 1);
static_assert(soa_pool<columns<char, double>>::layout_type::shapes ==
              std::array<column_shape, 4>{{{1, 1}, {8, 8}, {4, 4}, {8, 8, 64}}});

static_assert(grown(0, 1000) == 16 && grown(16, 1000) == 32 && grown(512, 1000) == 1000 &&
              grown(0, 10) == 10);
static_assert(is_worth_halving(64, 16) && !is_worth_halving(64, 17) && !is_worth_halving(16, 0) &&
              is_worth_halving(32, 8));

struct field_free {};
struct five {
  char a;
  std::array<double, 3> b;
  std::vector<int> c;
  five* d;
  field_free e;
};
static_assert(field_count<five>() == 5 && !has_array_field<five>(std::make_index_sequence<5>()));
struct with_array {
  int a;
  double b[3];
  int c;
};
static_assert(has_array_field<with_array>(std::make_index_sequence<field_count<with_array>()>()));
static_assert(splittable<five> && !splittable<std::array<double, 100>> && !splittable<int>);

static_assert(most_in_block(255, false) == 255 && most_in_block(255, true) == 127);
static_assert(piece_shift(4, 32) == 10 && piece_shift(100, 32) == 6 && piece_shift(1, 64) == 10 &&
              piece_shift(4, 16) == 10 && piece_shift(4, 8) == 4);
static_assert(most_in_pieces(8, 4) == 224 && most_in_pieces(32, 10) == 0xffff'f800);
static_assert(pieces_for(SIZE_MAX, 10) == (SIZE_MAX >> 10) + 2);
static_assert(*directory_bytes(100, 16, false) == 1600 && *directory_bytes(100, 16, true) == 1624 &&
              !directory_bytes(SIZE_MAX / 8, 16, false) && !directory_bytes(SIZE_MAX, 1, true));
static_assert(!moved_window(255, 0, 255, 255, true, false) &&
              !moved_window(255, 10, 200, 255, true, true));

/// Every window of every small block, also at the limit: it stays inside, keeps its size, and has
/// room at the requested end.
TEST(Arithmetic, AMovedWindowHasRoomAtTheRequestedEnd) {
  for (const std::size_t limit : {1 << 20, 128, 100})
    for (const std::size_t capacity : {0, 16, 32, 64, 100, 128})
      for (std::size_t used = 0; used <= capacity && capacity <= limit; ++used)
        for (const bool at_end : {false, true})
          for (const bool is_pinned : {false, true}) {
            const std::size_t offset = at_end ? capacity - used : 0;
            const auto m = moved_window(capacity, offset, used, limit, at_end, is_pinned);
            if (!m) {
              ASSERT_TRUE(capacity == limit && (is_pinned || used == capacity));
              continue;
            }
            ASSERT_LE(m->offset + used, m->capacity);
            ASSERT_LE(m->capacity, limit);
            ASSERT_GT(at_end ? m->capacity - m->offset - used : m->offset, 0u);
            ASSERT_TRUE(m->capacity == capacity || m->capacity == grown(capacity, limit));
            if (m->capacity != capacity) continue;
            ASSERT_FALSE(is_pinned);
            // A move within the same capacity is paid for by a quarter of it at either end.
            if (used > capacity / 2) continue;
            ASSERT_GE(m->offset, capacity / 4);
            ASSERT_GE(m->capacity - m->offset - used, capacity / 4);
          }
}

/// All kinds of pieces and windows of 8-bit indices: no two slots of a window have the same place.
TEST(Arithmetic, PiecesHoldEveryWindowUpToTheirLimit) {
  for (unsigned shift = 0; shift <= 6; ++shift) {
    const std::size_t per_piece = std::size_t{1} << shift;
    const std::size_t pieces = std::size_t{256} >> shift, limit = most_in_pieces(8, shift);
    ASSERT_EQ(most_pieces(8, shift), pieces - 1);
    for (std::size_t slots = 0; slots <= 255; ++slots) {
      std::size_t most_touched = 0;
      for (std::size_t first = 0; first < per_piece && slots != 0; ++first)
        most_touched = most(most_touched, (first + slots - 1) / per_piece + 1);
      ASSERT_EQ(pieces_for(slots, shift), most_touched);
      if (slots <= limit) {
        ASSERT_LT(most_touched, pieces) << slots << " at " << shift;
      } else if (slots > limit + 1) {
        ASSERT_GE(most_touched, pieces) << slots << " at " << shift;
      }
    }
  }
}

TEST(Arithmetic, PiecesSuitEveryRowAndIndex) {
  for (std::size_t bytes = 1; bytes < 10'000; ++bytes)
    for (const unsigned bits : {8u, 16u, 32u, 64u}) {
      const unsigned shift = piece_shift(bytes, bits);
      ASSERT_GE(most_pieces(bits, shift), 15u);
      ASSERT_LE(shift, 10u);
      if (bits > 10) {
        ASSERT_GE(shift, 6u);
      }
      ASSERT_GE(most_in_pieces(bits, shift), std::size_t{224} << (bits == 8 ? 0 : 7));
    }
}

TEST(Arithmetic, CopiesTheGivenBitsAndNoOthers) {
  std::mt19937_64 random(1);
  for (std::size_t from = 0; from < 130; from += 7)
    for (std::size_t to = 0; to < 130; ++to)
      for (std::size_t count : {0, 1, 3, 63, 64, 65, 128, 130}) {
        std::array<std::uint64_t, 5> source, target;
        for (auto& w : source) w = random();
        for (auto& w : target) w = random();
        const auto before = target;
        copy_bits(target.data(), to, source.data(), from, count);
        for (std::size_t k = 0; k < 320; ++k) {
          const bool is_inside = k >= to && k < to + count;
          const auto& expected = is_inside ? source : before;
          const std::size_t at = is_inside ? from + (k - to) : k;
          ASSERT_EQ(target[k / 64] >> (k % 64) & 1, expected[at / 64] >> (at % 64) & 1);
        }
      }
}

}  // namespace
}  // namespace heapsmith::detail
