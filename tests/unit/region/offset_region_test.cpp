// Offset regions: where blocks lie, how they merge, and sizes beyond any memory.
#include <gtest/gtest.h>

#include "heapsmith/offset_region.hpp"
#include "region/offset_bins.hpp"
#include "region/offset_table.hpp"

namespace heapsmith {
namespace {

using test::fixed_region;
using free_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t table_for_100 = HS_OFFSET_REGION_TABLE_BYTES(100);

TEST(OffsetRegion, BlocksFollowEachOtherAndMergeWhenFreed) {
  fixed_region r(1000, 1, table_for_100);
  const hs_offset_block a = r.allocate(100), b = r.allocate(200), c = r.allocate(300);
  EXPECT_EQ(a.offset, 0u);
  EXPECT_EQ(b.offset, 100u);
  EXPECT_EQ(c.offset, 300u);
  EXPECT_EQ(r.free_blocks(), (free_list{{600, 400}}));
  r.deallocate(a);
  r.deallocate(c);
  EXPECT_EQ(r.free_blocks(), (free_list{{0, 100}, {300, 700}}));
  r.expect_sound();
  r.deallocate(b);  // joins both sides
  EXPECT_EQ(r.free_blocks(), (free_list{{0, 1000}}));
  EXPECT_EQ(r.stats().nodes_in_use, 2u);
  r.expect_sound();
}

TEST(OffsetRegion, TheSmallestBlockThatFitsIsTaken) {
  fixed_region r(100'000, 1, table_for_100);
  std::vector<hs_offset_block> holes;
  for (const std::uint64_t size : {500, 90, 300, 101, 99, 700}) {
    holes.push_back(r.allocate(size));
    static_cast<void>(r.allocate(1));  // keeps them apart
  }
  for (const hs_offset_block& b : holes) r.deallocate(b);
  EXPECT_EQ(r.allocate(100).offset, holes[3].offset);
  EXPECT_EQ(r.allocate(100).offset, holes[2].offset);
  EXPECT_EQ(r.allocate(99).offset, holes[4].offset);
  EXPECT_EQ(r.allocate(600).offset, holes[5].offset);
  r.expect_sound();
}

TEST(OffsetRegion, TheSmallestBlockIsTakenWithinABinOfManySizes) {
  fixed_region r(10'000'000, 1, table_for_100);
  std::vector<hs_offset_block> holes;
  for (const std::uint64_t size : {100'900, 100'100, 100'500}) {
    holes.push_back(r.allocate(size));
    static_cast<void>(r.allocate(1));
  }
  ASSERT_EQ(offsets::bin_of(100'900), offsets::bin_of(100'000)) << "otherwise this tests nothing";
  for (const hs_offset_block& b : holes) r.deallocate(b);
  EXPECT_EQ(r.allocate(100'000).offset, holes[1].offset);
}

TEST(OffsetRegion, TheOnlyBlockThatHoldsARequestIsFound) {
  // The bin of the request is full of blocks a little too small; the one that holds it came first.
  fixed_region r(100'000'000, 1, table_for_100);
  const hs_offset_block fits = r.allocate(100'900);
  static_cast<void>(r.allocate(1));
  std::vector<hs_offset_block> holes;
  for (int i = 0; i < 40; ++i) {
    holes.push_back(r.allocate(100'100));
    static_cast<void>(r.allocate(1));
  }
  const hs_offset_block rest = r.allocate(r.stats().largest_free_bytes);
  EXPECT_EQ(r.stats().available_bytes, 0u);
  r.deallocate(fits);
  for (const hs_offset_block& b : holes) r.deallocate(b);
  EXPECT_EQ(r.allocate(100'800).offset, fits.offset);
  EXPECT_EQ(r.allocate(100'800).node, 0u);
  r.deallocate(rest);
  EXPECT_NE(r.allocate(100'800).node, 0u);
  r.expect_sound();
}

TEST(OffsetRegion, TheGapInFrontOfAnAlignedBlockServesOthers) {
  fixed_region r(1 << 20, 16, table_for_100);
  static_cast<void>(r.allocate(1));
  const hs_offset_block aligned = r.allocate(100, 65'536);
  EXPECT_EQ(aligned.offset, 65'536u);
  EXPECT_EQ(hs_offset_region_size_of(r.get(), aligned), 112u);
  EXPECT_EQ(r.allocate(65'520).offset, 16u) << "the gap";
  EXPECT_EQ(r.allocate(16, std::uint64_t{1} << 63).node, 0u) << "only 0 is that aligned";
  r.expect_sound();
}

TEST(OffsetRegion, AnAlignedBlockIsFoundIfOnlyOnePositionHoldsIt) {
  fixed_region r(1 << 20, 1, table_for_100);
  const hs_offset_block all = r.allocate(1 << 20);
  r.deallocate(all);
  std::vector<hs_offset_block> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(r.allocate(65'536));
  // Free: 6 blocks one too short at the front, and one exactly aligned.
  for (const int i : {1, 4, 6, 8, 10, 12}) {
    ASSERT_TRUE(r.try_expand(blocks[static_cast<std::size_t>(i)], 1));
  }
  r.deallocate(blocks[14]);
  EXPECT_EQ(r.allocate(65'536, 65'536).offset, 14u * 65'536);
  EXPECT_EQ(r.allocate(65'536, 65'536).node, 0u);
  r.expect_sound();
}

TEST(OffsetRegionDeathTest, ABlockOfAnotherRegionIsForeign) {
  fixed_region a(1000, 1, table_for_100), b(1000, 1, table_for_100);
  const hs_offset_block of_a = a.allocate(100), of_b = b.allocate(100);
  EXPECT_FALSE(hs_offset_region_owns(a.get(), of_b));
  EXPECT_FALSE(hs_offset_region_owns(b.get(), of_a));
  EXPECT_DEATH(a.deallocate(of_b), "offset_region_deallocate.*is not a live block");
  a.deallocate(of_a);
}

TEST(OffsetRegion, TheFirstGrowthIsCheckedAsAllOthersAre) {
  offset_region<> r(1000);
  EXPECT_FALSE(r.grow(999));
  EXPECT_FALSE(r.grow(~std::uint64_t{0}));
  EXPECT_EQ(r.size(), 1000u);
  EXPECT_TRUE(r.grow(2000));
  EXPECT_TRUE(r.allocate(2000));
}

TEST(OffsetRegion, ExpandsAndShrinksInPlace) {
  fixed_region r(800, 8, table_for_100);
  const hs_offset_block a = r.allocate(75), b = r.allocate(80);
  EXPECT_EQ(hs_offset_region_size_of(r.get(), a), 80u);
  EXPECT_TRUE(r.try_expand(a, 80));
  EXPECT_FALSE(r.try_expand(a, 81)) << "b is in the way";
  EXPECT_TRUE(r.try_expand(b, 720)) << "all free space";
  EXPECT_EQ(r.free_blocks(), free_list{});
  EXPECT_FALSE(r.try_expand(b, 721));
  EXPECT_FALSE(r.try_expand(b, UINT64_MAX));
  EXPECT_TRUE(r.try_expand(b, 0));
  EXPECT_EQ(hs_offset_region_size_of(r.get(), b), 8u);
  EXPECT_EQ(r.free_blocks(), (free_list{{88, 712}}));
  EXPECT_TRUE(r.try_expand(b, 400));
  EXPECT_TRUE(r.try_expand(a, 41));
  EXPECT_EQ(r.free_blocks(), (free_list{{48, 32}, {480, 320}}));
  EXPECT_EQ(r.stats().peak_bytes, 800u);
  EXPECT_EQ(r.stats().waste_bytes, 7u);
  r.expect_sound();
}

TEST(OffsetRegion, SizesBeyondAnyMemory) {
  for (const std::uint64_t granularity : {std::uint64_t{1}, std::uint64_t{65'536}}) {
    const std::uint64_t size = INT64_MAX & ~(granularity - 1);
    fixed_region r(INT64_MAX, granularity, table_for_100);
    EXPECT_EQ(r.stats().total_bytes, size);
    const hs_offset_block a = r.allocate(std::uint64_t{1} << 48), b = r.allocate(5, 1 << 20);
    const hs_offset_block c = r.allocate(std::uint64_t{1} << 61, std::uint64_t{1} << 61);
    EXPECT_EQ(b.offset, std::uint64_t{1} << 48);
    EXPECT_EQ(c.offset, std::uint64_t{1} << 61);
    EXPECT_EQ(r.allocate(size).node, 0u);
    EXPECT_EQ(r.allocate(UINT64_MAX).node, 0u);
    r.deallocate(a);
    r.deallocate(c);
    r.deallocate(b);
    r.expect_sound();
    EXPECT_EQ(r.stats().largest_free_bytes, size);
    EXPECT_NE(r.allocate(size).node, 0u);
  }
}

TEST(OffsetRegion, HugeBlocksShareABinAndAllAreFound) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 50;
  fixed_region r(huge * 4096, 1, table_for_100);
  std::vector<hs_offset_block> blocks;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    blocks.push_back(r.allocate(huge * i));
    static_cast<void>(r.allocate(1));
  }
  static_cast<void>(r.allocate(r.stats().largest_free_bytes));
  for (const hs_offset_block& b : blocks) r.deallocate(b);
  ASSERT_EQ(offsets::bin_of(huge), offsets::bin_of(huge * 30));
  for (std::uint64_t i = 30; i >= 1; --i) EXPECT_NE(r.allocate(huge * i).node, 0u) << i;
  EXPECT_EQ(r.stats().available_bytes, 0u);
  r.expect_sound();
}

}  // namespace
}  // namespace heapsmith
