// The statistics of a region, and its survey of all blocks.
#include "heapsmith/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace heapsmith {
namespace {

alignas(4096) unsigned char buffer[1 << 20];

TEST(RegionStats, AddUp) {
  region r(buffer + 3, 99'990);
  const std::size_t edges = r.stats().edge_bytes;
  EXPECT_LT(edges, 32u);
  std::vector<void*> all;
  std::size_t peak = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    all.push_back(r.allocate(i));
    peak = std::max(peak, r.stats().in_use_bytes);
    if (i % 3 == 0) {
      void* const old = std::exchange(all[i / 2], r.allocate(10));
      peak = std::max(peak, r.stats().in_use_bytes);
      r.deallocate(old);
    }
    const region_stats s = r.stats();
    ASSERT_EQ(s.in_use_bytes + s.available_bytes + s.edge_bytes + 8, s.buffer_bytes);
    ASSERT_EQ(s.edge_bytes, edges);
    ASSERT_EQ(s.peak_bytes, peak) << i;
  }
  for (void* p : all) r.deallocate(p);
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_EQ(r.stats().peak_bytes, peak);
  const std::size_t largest = r.defragment();
  EXPECT_EQ(largest, r.stats().largest_free_bytes);
  EXPECT_EQ(largest + 8, r.stats().available_bytes);
  EXPECT_EQ(r.stats().metadata_bytes, sizeof(hs_region) + 16);
}

TEST(RegionStats, OlderCallersGetTheFieldsTheyKnow) {
  region r(buffer, 1000);
  region_stats s;
  std::memset(&s, 0xee, sizeof s);
  s.size = offsetof(region_stats, in_use_bytes);
  EXPECT_EQ(hs_region_stats(r.native(), &s), 0);
  EXPECT_EQ(s.buffer_bytes, 1000u);
  EXPECT_EQ(s.in_use_bytes, 0xeeeeeeeeeeeeeeeeu);
  s.size = sizeof s.size;
  EXPECT_EQ(hs_region_stats(r.native(), &s), EINVAL);
  EXPECT_EQ(hs_region_stats(r.native(), nullptr), EINVAL);
}

TEST(RegionSurvey, CountsEveryBlock) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(24);
  void* const big = r.allocate(50'000);
  void* const c = r.allocate(24);
  r.deallocate(big);
  r.deallocate(a);
  const region_survey all = r.survey();
  EXPECT_EQ(all.blocks_in_use, 1u);
  EXPECT_EQ(all.deferred_blocks, 1u);
  EXPECT_EQ(all.free_blocks, 2u);
  EXPECT_EQ(all.free_histogram[11], 1u);  // 2^15 to 2^16
  EXPECT_EQ(all.free_histogram_bytes[11], 50'016u);
  EXPECT_GE(all.alignment_waste_bytes, 7u);
  std::size_t bytes = 0, seen = 0;
  r.for_each_block([&](const region_block& b) {
    bytes += b.bytes + 8;
    ++seen;
    EXPECT_EQ(b.state == HS_REGION_IN_USE, b.pointer == c);
  });
  EXPECT_EQ(seen, 4u);
  EXPECT_EQ(bytes, r.stats().in_use_bytes + r.stats().available_bytes);
}

}  // namespace
}  // namespace heapsmith
