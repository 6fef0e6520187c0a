// Growth by small steps: how often a block moves, and what it leaves behind it.
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

/// Buffers that grow in turns, each by a step: none can grow where it is for long.
struct growing {
  std::vector<char*> at;
  std::vector<unsigned> moves;
  std::size_t bytes = 0;  // of each

  explicit growing(std::size_t buffers) : at(buffers), moves(buffers) {}
  growing(const growing&) = delete;
  ~growing() {
    for (char* p : at) deallocate(p);
  }

  void grow_to(std::size_t most, std::size_t step) {
    for (; bytes < most; bytes += step) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        char* const p = static_cast<char*>(reallocate(at[i], bytes + step));
        ASSERT_NE(p, nullptr);
        const auto seed = static_cast<unsigned>(i);
        ASSERT_TRUE(bytes == 0 || test::is_filled(p, 1, seed));
        ASSERT_TRUE(bytes == 0 || test::is_filled(p + bytes - 1, 1, seed));
        test::fill(p + bytes, step, seed);
        moves[i] += p != at[i];
        at[i] = p;
      }
    }
  }

  std::size_t resident() const {
    std::size_t n = 0;
    for (const char* p : at) n += test::resident_bytes(p, usable_bytes(p));
    return n;
  }
};

TEST(Growth, InTurnsMovesABufferAFewTimes) {
  growing g(64);
  g.grow_to(slab_block_max, 4 * KiB);
  for (unsigned& n : g.moves) n = 0;
  g.grow_to(4 * MiB, 4 * KiB);
  // At each slice up to 8, and then at each doubling of 9, to 64.
  for (const unsigned n : g.moves) EXPECT_LE(n, 8u + 3u);
  for (std::size_t i = 0; i < g.at.size(); ++i) {
    EXPECT_EQ(usable_bytes(g.at[i]), 4 * MiB);
    EXPECT_TRUE(test::is_filled(g.at[i], g.bytes, static_cast<unsigned>(i)));
  }
  const std::size_t live = 64 * 4 * MiB;
  EXPECT_EQ(test::statistics().in_use_bytes, live);
  EXPECT_EQ(g.resident(), live);
  EXPECT_LE(test::statistics().peak_bytes, 2 * live);
}

/// Blocks until one lies behind the large block at `p`, which then cannot grow beyond its room.
void bar(const char* p) {
  const char* const end = p + usable_bytes(p) + test::room_behind(p) * slice_bytes;
  while (find_record(end) == nullptr || kind_of(find_record(end)) != slice_kind::large)
    ASSERT_NE(test::allocate_span(2 * slice_bytes), nullptr);
}

TEST(Growth, OnceLeavesNoRoom) {
  char* p = static_cast<char*>(test::allocate_span(10 * slice_bytes));
  bar(p);
  p = static_cast<char*>(reallocate(p, 11 * slice_bytes));
  EXPECT_EQ(test::room_behind(p), 0u);
  bar(p);
  p = static_cast<char*>(reallocate(p, 12 * slice_bytes));
  EXPECT_EQ(test::room_behind(p), 12u);
  bar(p);
  EXPECT_FALSE(try_expand(p, 25 * slice_bytes));
  EXPECT_TRUE(try_expand(p, 13 * slice_bytes));
  EXPECT_TRUE(try_resize(p, 14 * slice_bytes - 5));
  EXPECT_EQ(usable_bytes(p), 14 * slice_bytes);
  EXPECT_EQ(test::room_behind(p), 10u);
}

TEST(Growth, ByMuchAtOnceLeavesNoRoom) {
  void* p = nullptr;
  for (std::size_t slices = 2; slices <= 256; slices *= 2) {
    p = reallocate(p, slices * slice_bytes);
    EXPECT_EQ(test::room_behind(p), 0u);
    bar(static_cast<char*>(p));
  }
}

TEST(Growth, AShrinkGivesTheRoomBack) {
  char* p = static_cast<char*>(test::allocate_span(10 * slice_bytes));
  for (const std::size_t slices : {11, 12}) {
    bar(p);
    p = static_cast<char*>(reallocate(p, slices * slice_bytes));
  }
  ASSERT_EQ(test::room_behind(p), 12u);
  EXPECT_EQ(reallocate(p, 9 * slice_bytes), p);
  EXPECT_EQ(test::room_behind(p), 0u);
  EXPECT_EQ(usable_bytes(p), 9 * slice_bytes);
  EXPECT_TRUE(try_expand(p, 24 * slice_bytes)) << "it is free again";
}

TEST(Growth, UpToDirectMapsNeedsNoMoreThanTheirSize) {
  growing g(2);
  g.grow_to(direct_map_min + MiB, MiB);
  EXPECT_EQ(test::statistics().direct_maps, 2u);
  EXPECT_EQ(test::statistics().in_use_bytes, 2 * g.bytes);
}

TEST(Growth, InFirstClassHeapsCountsWhatTheyHave) {
  hs_heap* const h = hs_heap_create();
  hs_heap_set_limit(h, 64 * slice_bytes);
  void* at[2] = {};
  for (std::size_t slices = 2; slices <= 32; ++slices)
    for (void*& p : at) {
      p = p == nullptr ? hs_heap_malloc(h, slices * slice_bytes)
                       : hs_realloc(p, slices * slice_bytes);
      if (slices <= 16) {
        ASSERT_NE(p, nullptr) << slices;
      }
      if (p == nullptr) return hs_heap_destroy(h);  // both places of a move count
      hs_heap_statistics s;
      s.size = sizeof s;
      hs_heap_stats(h, &s);
      EXPECT_EQ(s.held_bytes, s.large_bytes);
    }
  hs_heap_destroy(h);
}

}  // namespace
}  // namespace heapsmith
