// Offset regions: errors, the capacity of a table, and how blocks are recognised.
#include <gtest/gtest.h>

#include "region/offset_table.hpp"

namespace heapsmith {
namespace {

using test::fixed_region;
using free_list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t table_for_100 = HS_OFFSET_REGION_TABLE_BYTES(100);

TEST(OffsetTable, ErrorsAreReturned) {
  alignas(8) unsigned char table[4096];
  auto region = std::make_unique<hs_offset_region>();
  const auto init = [&](std::uint64_t size, std::uint64_t granularity, void* at, std::size_t n) {
    return hs_offset_region_init(region.get(), size, granularity, at, n);
  };
  EXPECT_EQ(init(1000, 0, table, sizeof table), EINVAL);
  EXPECT_EQ(init(1000, 48, table, sizeof table), EINVAL);
  EXPECT_EQ(init(std::uint64_t{1} << 40, std::uint64_t{1} << 32, table, sizeof table), EINVAL);
  EXPECT_EQ(init(15, 16, table, sizeof table), EINVAL);
  EXPECT_EQ(init(std::uint64_t{1} << 63, 1, table, sizeof table), EINVAL);
  EXPECT_EQ(init(1000, 1, nullptr, sizeof table), EINVAL);
  EXPECT_EQ(init(1000, 1, table + 4, 1000), EINVAL);
  EXPECT_EQ(init(1000, 1, table, 63), EINVAL);
  EXPECT_EQ(hs_offset_region_allocate(region.get(), 1, 1).node, 0u) << "not started";
  EXPECT_EQ(init(1000, 1, table, 64), 0);
  EXPECT_EQ(init(1000, 1, table, sizeof table), EBUSY);
  errno = 0;
  EXPECT_EQ(hs_offset_region_allocate(region.get(), 1, 3).node, 0u);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(hs_offset_region_allocate(region.get(), 1001, 1).node, 0u);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(hs_offset_region_allocate(region.get(), 10, 1).node, 0u);
  EXPECT_EQ(errno, ENOBUFS) << "no node for the rest";
  const hs_offset_block all = hs_offset_region_allocate(region.get(), 1000, 1);
  EXPECT_NE(all.node, 0u) << "needs none";
  EXPECT_EQ(hs_offset_region_try_expand(region.get(), all, 1001), ENOMEM);
  EXPECT_EQ(hs_offset_region_try_expand(region.get(), all, 10), ENOBUFS);
  EXPECT_EQ(hs_offset_region_try_expand(region.get(), all, 1000), 0);
  EXPECT_EQ(hs_offset_region_grow(region.get(), 999), EINVAL);
  EXPECT_EQ(hs_offset_region_grow(region.get(), 2000), ENOBUFS);
  EXPECT_EQ(hs_offset_region_add_table(region.get(), table + 64, 31), EINVAL);
  EXPECT_EQ(hs_offset_region_add_table(region.get(), table + 64, 32), 0);
  EXPECT_EQ(hs_offset_region_grow(region.get(), 2000), 0);
  EXPECT_EQ(hs_offset_region_check(region.get()), 0);
  hs_offset_region_destroy(region.get());
  EXPECT_EQ(init(1000, 1, table, sizeof table), 0);
}

TEST(OffsetTable, ATableForNBlocksIsEnough) {
  constexpr std::uint64_t n = 500;
  fixed_region r(n * 4, 1, HS_OFFSET_REGION_TABLE_BYTES(n));
  // Single units with gaps between all of them: as many nodes as n blocks can need.
  std::vector<hs_offset_block> all, live;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(r.allocate(4));
  for (const hs_offset_block& b : all) EXPECT_TRUE(r.try_expand(b, 1));
  EXPECT_EQ(r.stats().nodes_in_use, 2 * n + 1);
  for (const hs_offset_block& b : all) r.deallocate(b);
  for (std::uint64_t i = 0; i < n; ++i) live.push_back(r.allocate(1, 4));
  for (const hs_offset_block& b : live) EXPECT_EQ(b.offset % 4, 0u);
  EXPECT_EQ(r.stats().blocks, n);
  r.expect_sound();
}

TEST(OffsetTable, TablesOfAnySizeAreUsedTogether) {
  std::vector<std::vector<std::uint64_t>> tables;
  fixed_region r(1'000'000, 1, 64);
  std::vector<hs_offset_block> live;
  for (std::size_t nodes = 1; nodes < 3000; nodes = nodes * 2 + 1) {
    tables.emplace_back(nodes * 4);
    ASSERT_EQ(hs_offset_region_add_table(r.get(), tables.back().data(), nodes * 32), 0);
    for (;;) {
      const hs_offset_block b = r.allocate(10);
      if (b.node == 0) break;
      live.push_back(b);
    }
    EXPECT_EQ(r.stats().nodes_in_use, r.stats().nodes);
  }
  EXPECT_EQ(live.size(), r.stats().nodes - 2);
  r.expect_sound();
  for (const hs_offset_block& b : live) r.deallocate(b);
  r.expect_sound();
  EXPECT_EQ(r.free_blocks(), (free_list{{0, 1'000'000}}));
  int added = 0;
  std::uint64_t node[4];
  while (hs_offset_region_add_table(r.get(), node, sizeof node) == 0) ++added;
  EXPECT_EQ(hs_offset_region_add_table(r.get(), node, sizeof node), ENOSPC);
  EXPECT_LT(added, HS_OFFSET_REGION_PIECES);
}

TEST(OffsetTable, BlocksThatAreNotLiveAreRecognised) {
  fixed_region r(1000, 1, table_for_100);
  const hs_offset_block a = r.allocate(100);
  EXPECT_EQ(hs_offset_region_owns(r.get(), a), 1);
  r.deallocate(a);
  EXPECT_EQ(hs_offset_region_owns(r.get(), a), 0);
  const hs_offset_block b = r.allocate(100);
  EXPECT_EQ(b.offset, a.offset);
  EXPECT_EQ(b.node, a.node) << "otherwise this tests nothing";
  EXPECT_EQ(hs_offset_region_owns(r.get(), a), 0);
  EXPECT_EQ(hs_offset_region_owns(r.get(), b), 1);
  const char* message = "offset_region_deallocate\\(0x0\\): is not a live block";
  EXPECT_DEATH(r.deallocate(a), message);
  hs_offset_block other = b;
  other.offset = 1;
  EXPECT_DEATH(r.deallocate(other), "offset_region_deallocate\\(0x1\\): is not a live block");
  other = {0, 4'000'000'000u, b.generation};
  EXPECT_DEATH(r.deallocate(other), message);
  EXPECT_DEATH(r.try_expand(a, 5), "offset_region_try_expand");
  EXPECT_DEATH(static_cast<void>(hs_offset_region_size_of(r.get(), a)), "offset_region_size_of");
  hs_offset_region_reset(r.get());
  EXPECT_EQ(hs_offset_region_owns(r.get(), b), 0);
  EXPECT_EQ(r.allocate(100).node, b.node);
  EXPECT_EQ(hs_offset_region_owns(r.get(), b), 0)
      << "reset ends blocks and keeps counting generations";
  r.deallocate({});  // does nothing
  r.expect_sound();
}

}  // namespace
}  // namespace heapsmith
