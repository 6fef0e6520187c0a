// Bins, buffers and the map of bins, tested exhaustively.
#include "region/bins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "region/bin_map.hpp"
#include "region/buffers.hpp"

namespace heapsmith {
namespace {

using region_bins::granule, region_bins::size_end;

template <class Bins>
class RegionBins : public testing::Test {};
using choices = testing::Types<region_bins::fine, region_bins::coarse>;
TYPED_TEST_SUITE(RegionBins, choices);

TYPED_TEST(RegionBins, EverySizeLiesBetweenItsBinAndTheNext) {
  using bins = TypeParam;
  const std::size_t end = std::min(bins::end, std::size_t{16} << 20);
  for (std::size_t size = 0; size < end; size += granule) {
    const std::size_t bin = bins::bin_of(size);
    ASSERT_LE(bins::bin_floor(bin), size);
    ASSERT_GT(bins::bin_floor(bin + 1), size);
    ASSERT_EQ((size - bins::bin_floor(bin)) >> bins::bin_width_shift(bin), 0u);
    ASSERT_EQ(bins::is_exact(bin), size < bins::large_min);
  }
}

TYPED_TEST(RegionBins, FloorsAreTheSmallestSizesUpToTheEnd) {
  using bins = TypeParam;
  for (std::size_t bin = 1; bin < bins::bin_count; ++bin) {
    const std::size_t floor = bins::bin_floor(bin);
    ASSERT_EQ(bins::bin_of(floor), bin);
    ASSERT_EQ(bins::bin_of(floor - granule), bin - 1);
    ASSERT_EQ(floor + (std::size_t{1} << bins::bin_width_shift(bin)), bins::bin_floor(bin + 1));
  }
  EXPECT_EQ(bins::bin_of(bins::end - granule), bins::bin_count - 1);
}

TEST(RegionFineBins, ReachToTheEndOfAddresses) {
  EXPECT_EQ(region_bins::fine::end, size_end);
}

TEST(RegionFineBins, HaveSizesThatDifferByASixteenthAtMost) {
  using bins = region_bins::fine;
  for (std::size_t bin = bins::exact_bins; bin < bins::bin_count; ++bin)
    ASSERT_LE(std::size_t{1} << bins::bin_width_shift(bin), bins::bin_floor(bin) / 16);
}

TEST(RegionBlocks, RequestsGetTheSmallestBlockSizeThatHoldsThem) {
  using regions::block_size;
  for (std::size_t bytes = 1; bytes < 100'000; ++bytes) {
    const std::size_t size = block_size(bytes);
    ASSERT_EQ(size % 16, 0u);
    ASSERT_GE(size - 8, bytes);
    ASSERT_TRUE(size == 32 || size - 8 - 16 < bytes);
  }
  for (std::size_t bytes = SIZE_MAX - 100'000; bytes != 0; ++bytes)
    ASSERT_EQ(block_size(bytes), size_end);
}

template <std::size_t Bits>
void compare_with_a_set() {
  bin_map<Bits> map;
  std::set<std::size_t> model;
  std::mt19937 random(5);
  EXPECT_TRUE(map.empty());
  for (int step = 0; step < 100'000; ++step) {
    const std::size_t i = random() % Bits;
    if (random() % 50 < 26) {
      map.set(i);
      model.insert(i);
    } else {
      map.clear(i);
      model.erase(i);
    }
    const std::size_t from = random() % (Bits + 8);
    const auto next = model.lower_bound(from);
    ASSERT_EQ(map.first_at_or_above(from), next == model.end() ? map.none : *next);
    ASSERT_EQ(map.last(), model.empty() ? map.none : *model.rbegin());
    ASSERT_EQ(map.empty(), model.empty());
    ASSERT_EQ(map.test(i), model.contains(i));
    if (step % 1000 == 999)
      for (; !model.empty(); model.erase(model.begin())) map.clear(*model.begin());
  }
}

TEST(RegionBinMap, FindsTheSameMembersAsASet) {
  compare_with_a_set<1552>();
  compare_with_a_set<65>();
}

TEST(RegionBinMap, OfOneWordNeedsNoSummary) {
  compare_with_a_set<64>();
  compare_with_a_set<33>();
  compare_with_a_set<32>();
  compare_with_a_set<12>();
  static_assert(sizeof(bin_map<64>) == 8 && sizeof(bin_map<32>) == 4);
}

TEST(RegionBuffers, BlocksFillAllButTheEnds) {
  using regions::buffer;
  for (std::size_t begin = 4096; begin < 4096 + 33; ++begin)
    for (std::size_t bytes = 0; bytes < 200; ++bytes) {
      const buffer b = buffer::over(begin, begin + bytes);
      if (b.block_bytes() == 0) {
        // The best aligned buffer of this size would do, but less 23 bytes of ends.
        ASSERT_LT(bytes, 32u + 8 + 16);
        continue;
      }
      ASSERT_EQ(b.first % 16, 8u);
      ASSERT_EQ(b.last % 16, 8u);
      ASSERT_GE(b.first, begin);
      ASSERT_LE(b.last + 8, begin + bytes);
      ASSERT_GE(b.block_bytes(), 32u);
      ASSERT_LT(b.first - begin, 16u);
      ASSERT_LT(begin + bytes - b.last - 8, 16u);
    }
}

TEST(RegionBuffers, AreFoundByAddress) {
  constexpr std::size_t most = 64;
  regions::buffer_table<most> table;
  for (std::size_t i = 0; i < most; ++i)
    table.insert(i, regions::buffer::over(i * 1000 + 100, i * 1000 + 600));
  EXPECT_TRUE(table.is_full());
  for (std::size_t at = 0; at < 70'000; ++at) {
    const regions::buffer* found = table.find(at);
    const std::size_t i = at / 1000;
    const bool inside = i < most && table[i].has(at);
    ASSERT_EQ(found, inside ? &table[i] : nullptr) << at;
  }
  table.remove(3);
  EXPECT_EQ(table.find(3300), nullptr);
  EXPECT_EQ(table.find(4300), &table[3]);
}

}  // namespace
}  // namespace heapsmith
