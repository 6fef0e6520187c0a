// The reuse of freed memory: blocks grow into it and requests get it, deferred or not.
#include "heapsmith/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace heapsmith {
namespace {

alignas(4096) unsigned char buffer[1 << 20];

unsigned char* at(void* p) {
  return static_cast<unsigned char*>(p);
}

TEST(RegionReuse, GrowsAndShrinksInPlace) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(1000);
  void* const b = r.allocate(1000);
  void* const c = r.allocate(1000);
  EXPECT_FALSE(r.try_expand(a, 1000, 1100));
  r.deallocate(b);  // deferred, but its memory counts as free
  EXPECT_TRUE(r.try_expand(a, 1000, 1100));
  EXPECT_TRUE(r.try_expand(a, 1100, 2000));
  EXPECT_FALSE(r.try_expand(a, 2000, 2100));
  EXPECT_TRUE(r.try_expand(a, 2000, 10));
  EXPECT_EQ(r.usable_size(a), 24u);
  EXPECT_EQ(r.check(), 0);
  // The last block grows over all free memory and shrinks again.
  EXPECT_TRUE(r.try_expand(c, 1000, 1'000'000));
  EXPECT_TRUE(r.try_expand(c, 1'000'000, 1000));
  EXPECT_EQ(hs_region_realloc(r.native(), c, 500'000), c);
  EXPECT_EQ(r.check(), 0);
}

TEST(RegionReuse, JoinsARunOfDeferredBlocksToGrow) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(100);
  std::vector<void*> run;
  for (int i = 0; i < 5; ++i) run.push_back(r.allocate(100));
  void* const end = r.allocate(100);
  for (int i : {3, 1, 4, 0, 2}) r.deallocate(run[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(r.try_expand(a, 100, 104 + 5 * 112));
  EXPECT_FALSE(r.try_expand(a, 0, 104 + 5 * 112 + 1));
  EXPECT_EQ(r.check(), 0);
  r.deallocate(end);
}

TEST(RegionReuse, TakesDeferredBlocksOutOfTheMiddleOfTheirLists) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    region r(buffer, sizeof buffer);
    void* const a = r.allocate(100);
    std::vector<void*> run, others;
    for (std::size_t i = 0; i < 300; ++i) {
      (i < 200 ? run : others).push_back(r.allocate(40 + i % 3 * 60));
    }
    std::vector<void*> all(run);
    all.insert(all.end(), others.begin(), others.end());
    std::shuffle(all.begin(), all.end(), std::mt19937(seed));
    for (void* p : all) r.deallocate(p);
    for (std::size_t bytes = 100; bytes < 8000; bytes += 300) {
      ASSERT_TRUE(r.try_expand(a, 0, bytes));
      ASSERT_EQ(r.check(), 0);
    }
    for (std::size_t i = 0; i < 100; ++i) static_cast<void>(r.allocate(40 + i % 3 * 60));
    ASSERT_EQ(r.check(), 0);
  }
}

TEST(RegionReuse, MovesDownIfNoOtherBlockFits) {
  region r(buffer, 10'000);
  void* const a = r.allocate(4000);
  void* const b = r.allocate(4000);
  void* const c = r.allocate(1000);
  std::memset(b, 9, 4000);
  r.deallocate(a);
  void* const d = hs_region_realloc(r.native(), b, 7000);
  EXPECT_EQ(d, a);
  for (int i = 0; i < 4000; ++i) ASSERT_EQ(at(d)[i], 9);
  EXPECT_EQ(r.stats().failed_requests, 0u);
  EXPECT_EQ(hs_region_realloc(r.native(), d, 9000), nullptr);
  EXPECT_EQ(r.stats().failed_requests, 1u);
  for (int i = 0; i < 4000; ++i) ASSERT_EQ(at(d)[i], 9);
  r.deallocate(c);
  EXPECT_EQ(hs_region_realloc(r.native(), d, 9900), d);
  EXPECT_EQ(r.check(), 0);
}

TEST(RegionReuse, LargeFreeBlocksServeSmallRequests) {
  region r(buffer, 100'000);
  std::vector<void*> all;
  while (void* const p = r.try_allocate(20'000)) all.push_back(p);
  r.deallocate(all[1]);
  std::size_t small = 0;
  while (r.try_allocate(24) != nullptr) ++small;
  EXPECT_GE(small, 20'016u / 32);
}

TEST(RegionReuse, DeferredBlocksAreJoinedBeforeARequestFails) {
  region r(buffer, 100'000);
  std::vector<void*> all;
  while (void* const p = r.try_allocate(100)) all.push_back(p);
  for (void* p : all) r.deallocate(p);
  EXPECT_LT(r.stats().largest_free_bytes, 99'000u);
  EXPECT_NE(r.try_allocate(99'900), nullptr);
  EXPECT_EQ(r.stats().failed_requests, 1u);  // the one that ended the loop
}

TEST(RegionReuse, ARequestJoinsNoMoreDeferredBlocksThanItNeeds) {
  region r(buffer, 100'000);
  std::vector<void*> all;
  while (void* const p = r.try_allocate(1000)) all.push_back(p);
  for (const std::size_t i : {40, 60, 0, 1}) r.deallocate(all[i]);
  ASSERT_EQ(r.stats().deferred_bytes, 4 * 1008u);
  EXPECT_EQ(r.try_allocate(1500), all[0]);
  EXPECT_EQ(r.stats().deferred_bytes, 2 * 1008u);
  EXPECT_EQ(r.try_allocate(1500), nullptr);
  EXPECT_EQ(r.stats().deferred_bytes, 0u);
  EXPECT_EQ(r.check(), 0);
}

TEST(RegionReuse, TheLimitOfDeferredBytesIsObserved) {
  region r;
  r.limit_deferred(0);
  ASSERT_TRUE(r.init(buffer, sizeof buffer));
  void* const a = r.allocate(100);
  r.deallocate(a);
  EXPECT_EQ(r.stats().deferred_bytes, 0u);
  EXPECT_EQ(r.stats().blocks, 1u);
  r.limit_deferred(1000);
  std::vector<void*> all;
  for (int i = 0; i < 100; ++i) all.push_back(r.allocate(100));
  std::size_t most = 0;
  for (void* p : all) {
    r.deallocate(p);
    most = std::max(most, r.stats().deferred_bytes);
  }
  EXPECT_GT(most, 800u);
  EXPECT_LE(most, 1000u);
  r.limit_deferred(0);
  EXPECT_EQ(r.stats().blocks, 1u);
  EXPECT_EQ(r.check(), 0);
}

TEST(RegionReuse, ARepeatedSizeIsCarvedInStrips) {
  region r(buffer, sizeof buffer);
  auto* const first = static_cast<std::byte*>(r.allocate(100));
  for (int i = 1; i < 7; ++i) ASSERT_EQ(r.allocate(100), first + 112 * i);
  for (int strip = 1; strip < 20; ++strip)
    for (int i = 6; i >= 0; --i)
      ASSERT_EQ(r.allocate(100), first + 112 * (7 * strip + i)) << "from the back to the front";
  EXPECT_EQ(r.stats().deferred_bytes, 0u);
  static_cast<void>(r.allocate(100));
  EXPECT_EQ(r.stats().deferred_bytes, 6 * 112u);
  EXPECT_EQ(r.stats().in_use_bytes, 141 * 112u) << "the other blocks of the strip are not in use";
  EXPECT_EQ(r.stats().peak_bytes, 141 * 112u);
  EXPECT_EQ(r.check(), 0);
}

TEST(RegionReuse, StripsNeedOneSizeAndPlentyOfMemory) {
  region r(buffer, sizeof buffer);
  for (int i = 0; i < 20; ++i)
    for (const std::size_t bytes : {100, 200}) static_cast<void>(r.allocate(bytes));
  EXPECT_EQ(r.stats().deferred_bytes, 0u) << "sizes that take turns";
  r.reset();
  for (int i = 0; i < 10; ++i) static_cast<void>(r.allocate(1100));
  EXPECT_EQ(r.stats().deferred_bytes, 0u) << "large blocks";
  r.reset();
  r.limit_deferred(500);
  for (int i = 0; i < 10; ++i) static_cast<void>(r.allocate(100));
  EXPECT_EQ(r.stats().deferred_bytes, 0u) << "six blocks exceed the limit";
  region small(buffer, 1500);
  for (int i = 0; i < 13; ++i) ASSERT_NE(small.try_allocate(100), nullptr);
  EXPECT_EQ(small.try_allocate(100), nullptr);
}

TEST(RegionReuse, DefersWhileMemoryIsPlentifulWhereverItLies) {
  region r(buffer, sizeof buffer);
  // This block is freed between two others. The limit must follow the largest free block instead.
  void* const middle = r.allocate(40'000);
  void* const behind = r.allocate(16);
  std::vector<void*> nodes;
  for (int i = 0; i < 4000; ++i) nodes.push_back(r.allocate(24));
  r.deallocate(middle);
  const std::size_t before = r.stats().deferred_bytes;
  for (void* p : nodes) r.deallocate(p);
  EXPECT_EQ(r.stats().deferred_bytes - before, nodes.size() * 32);
  r.deallocate(behind);
  EXPECT_EQ(r.check(), 0);
}

}  // namespace
}  // namespace heapsmith
