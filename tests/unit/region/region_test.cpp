// What a region promises of single calls: sizes, alignment, resizing, figures.
#include "heapsmith/region.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace heapsmith {
namespace {

alignas(4096) unsigned char buffer[1 << 20];

unsigned char* at(void* p) {
  return static_cast<unsigned char*>(p);
}

TEST(Region, SmallBuffersHoldWhatTheyShould) {
  region hundred(buffer, 100);
  EXPECT_NE(hundred.try_allocate(10), nullptr);
  EXPECT_NE(hundred.try_allocate(40), nullptr);
  EXPECT_EQ(hundred.try_allocate(1), nullptr);
  region fifty(buffer + 4096, 50);
  EXPECT_NE(fifty.try_allocate(10), nullptr);
}

TEST(Region, CCallsMirrorC) {
  region r(buffer, sizeof buffer);
  hs_region* const c = r.native();
  errno = 0;
  EXPECT_EQ(hs_region_malloc(c, 0), nullptr);
  EXPECT_EQ(errno, 0);
  void* p = hs_region_realloc(c, nullptr, 100);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(hs_region_usable_size(c, p), 104u);
  EXPECT_EQ(hs_region_realloc(c, p, 0), nullptr);
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  hs_region_free(c, nullptr);
  EXPECT_EQ(hs_region_usable_size(c, nullptr), 0u);
  static unsigned char used[4096];
  std::memset(used, 0xff, sizeof used);
  region again(used, sizeof used);
  p = hs_region_calloc(again.native(), 10, 30);
  ASSERT_NE(p, nullptr);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(at(p)[i], 0);
}

TEST(Region, ImpossibleRequestsFailCleanly) {
  region r(buffer, sizeof buffer);
  hs_region* const c = r.native();
  void* const p = hs_region_malloc(c, 100);
  std::memset(p, 7, 100);
  const std::size_t before = r.stats().in_use_bytes;
  std::size_t failures = 0;
  for (std::size_t less = 0; less < 100; ++less)
    for (const std::size_t size : {SIZE_MAX - less, SIZE_MAX / 2 - less, SIZE_MAX / 2 + less + 1,
                                   (std::size_t{1} << 47) - less, sizeof buffer + less}) {
      errno = 0;
      ASSERT_EQ(hs_region_malloc(c, size), nullptr) << size;
      ASSERT_EQ(errno, ENOMEM);
      ASSERT_EQ(hs_region_aligned_alloc(c, 4096, size), nullptr);
      ASSERT_EQ(hs_region_aligned_alloc(c, std::size_t{1} << 63, size), nullptr);
      ASSERT_EQ(hs_region_realloc(c, p, size), nullptr);
      ASSERT_EQ(hs_region_aligned_realloc(c, p, 4096, size), nullptr);
      ASSERT_EQ(hs_region_calloc(c, 1, size), nullptr);
      ASSERT_FALSE(hs_region_try_expand(c, p, size));
      failures += 6;
    }
  volatile std::size_t half = SIZE_MAX / 2;
  EXPECT_EQ(hs_region_calloc(c, half, 3), nullptr);
  EXPECT_EQ(r.stats().failed_requests, failures + 1);
  EXPECT_EQ(r.stats().in_use_bytes, before);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(at(p)[i], 7);
  EXPECT_EQ(r.check(), 0);
}

TEST(Region, OddAlignmentsAreInvalid) {
  region r(buffer, sizeof buffer);
  for (const std::size_t align : {0, 3, 24, 100}) {
    errno = 0;
    EXPECT_EQ(hs_region_aligned_alloc(r.native(), align, 10), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(hs_region_aligned_realloc(r.native(), nullptr, align, 10), nullptr);
  }
}

TEST(Region, AlignmentGoesUpToTheBuffer) {
  for (std::size_t align = 1; align <= sizeof buffer / 2; align *= 2) {
    region r(buffer, sizeof buffer);
    void* const p = r.try_allocate(100, align);
    ASSERT_NE(p, nullptr) << align;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    // What is in front serves others.
    const auto in_front = static_cast<std::size_t>(at(p) - buffer);
    if (in_front > 100) {
      EXPECT_LT(r.try_allocate(in_front - 32), p);
    }
    r.deallocate(p);
    EXPECT_EQ(r.check(), 0);
  }
}

TEST(Region, AnAlignedSpotIsFoundWhereOnlyOneIs) {
  // 4096-aligned and 4096 - 8 bytes long: padded by the alignment it would need twice the buffer.
  region r(buffer + 4080, 4096 + 24);
  void* const p = r.try_allocate(4088, 4096);
  EXPECT_EQ(p, buffer + 4096);
  EXPECT_EQ(r.try_allocate(4088, 4096), nullptr);
  r.deallocate(p);

  // Of many free blocks the last one looked at has the spot.
  region many(buffer, sizeof buffer);
  std::vector<void*> blocks;
  while (void* const q = many.try_allocate(3000)) blocks.push_back(q);
  for (std::size_t i = 0; i < blocks.size(); i += 2) many.deallocate(blocks[i]);
  std::size_t spots = 0;
  while (many.try_allocate(2000, 2048) != nullptr) ++spots;
  std::size_t possible = 0;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const auto begin = reinterpret_cast<std::uintptr_t>(blocks[i]);
    std::uintptr_t spot = (begin + 2047) / 2048 * 2048;
    if (spot == begin + 16) spot += 2048;
    possible += spot + 2000 <= begin + 3000;
  }
  EXPECT_EQ(spots, possible);
  EXPECT_EQ(many.check(), 0);
}

TEST(Region, GrowsAndShrinksInPlace) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(1000);
  void* const b = r.allocate(1000);
  void* const c = r.allocate(1000);
  EXPECT_FALSE(r.try_expand(a, 1000, 1100));
  r.deallocate(b);  // deferred: what it was is free nevertheless
  EXPECT_TRUE(r.try_expand(a, 1000, 1100));
  EXPECT_TRUE(r.try_expand(a, 1100, 2000));
  EXPECT_FALSE(r.try_expand(a, 2000, 2100));
  EXPECT_TRUE(r.try_expand(a, 2000, 10));
  EXPECT_EQ(r.usable_size(a), 24u);
  EXPECT_EQ(r.check(), 0);
  // The topmost block takes all there is and gives it back.
  EXPECT_TRUE(r.try_expand(c, 1000, 1'000'000));
  EXPECT_TRUE(r.try_expand(c, 1'000'000, 1000));
  EXPECT_EQ(hs_region_realloc(r.native(), c, 500'000), c);
  EXPECT_EQ(r.check(), 0);
}

TEST(Region, JoinsARunOfDeferredBlocksToGrow) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(100);
  std::vector<void*> run;
  for (int i = 0; i < 10; ++i) run.push_back(r.allocate(100));
  void* const end = r.allocate(100);
  for (int i : {3, 1, 4, 0, 5, 9, 2, 6, 8, 7}) r.deallocate(run[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(r.try_expand(a, 100, 104 + 10 * 112));
  EXPECT_FALSE(r.try_expand(a, 0, 104 + 10 * 112 + 1));
  EXPECT_EQ(r.check(), 0);
  r.deallocate(end);
}

TEST(Region, MovesDownWhenThereIsNoOtherPlace) {
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

TEST(Region, LargeFreeBlocksServeSmallRequests) {
  region r(buffer, 100'000);
  std::vector<void*> all;
  while (void* const p = r.try_allocate(20'000)) all.push_back(p);
  r.deallocate(all[1]);
  std::size_t small = 0;
  while (r.try_allocate(24) != nullptr) ++small;
  EXPECT_GE(small, 20'016u / 32);
}

TEST(Region, WhatIsDeferredIsJoinedBeforeARequestFails) {
  region r(buffer, 100'000);
  std::vector<void*> all;
  while (void* const p = r.try_allocate(100)) all.push_back(p);
  for (void* p : all) r.deallocate(p);
  EXPECT_LT(r.stats().largest_free_bytes, 99'000u);
  EXPECT_NE(r.try_allocate(99'900), nullptr);
  EXPECT_EQ(r.stats().failed_requests, 1u);  // the one that ended the loop
}

TEST(Region, TheLimitOfDeferredBytesIsKept) {
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
  for (void* p : all) {
    r.deallocate(p);
    ASSERT_LE(r.stats().deferred_bytes, 1000u);
  }
  EXPECT_GT(r.stats().deferred_bytes, 800u);
  r.limit_deferred(0);
  EXPECT_EQ(r.stats().blocks, 1u);
  EXPECT_EQ(r.check(), 0);
}

TEST(Region, DefersWhileMemoryIsPlentifulWhereverItLies) {
  region r(buffer, sizeof buffer);
  // A large block that comes back between two others is free memory, but not what is plentiful.
  void* const middle = r.allocate(40'000);
  void* const behind = r.allocate(16);
  std::vector<void*> nodes;
  for (int i = 0; i < 4000; ++i) nodes.push_back(r.allocate(24));
  r.deallocate(middle);
  for (void* p : nodes) r.deallocate(p);
  EXPECT_EQ(r.stats().deferred_bytes, nodes.size() * 32);
  r.deallocate(behind);
  EXPECT_EQ(r.check(), 0);
}

TEST(Region, FiguresAddUp) {
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

TEST(Region, FiguresOfOlderCallersAreCutShort) {
  region r(buffer, 1000);
  region_stats s;
  std::memset(&s, 0xee, sizeof s);
  s.size = offsetof(region_stats, in_use_bytes);
  EXPECT_EQ(hs_region_stats(r.native(), &s), 1);
  EXPECT_EQ(s.buffer_bytes, 1000u);
  EXPECT_EQ(s.in_use_bytes, 0xeeeeeeeeeeeeeeeeu);
  s.size = sizeof s.size;
  EXPECT_EQ(hs_region_stats(r.native(), &s), 0);
}

TEST(Region, TheCensusCountsEveryBlock) {
  region r(buffer, sizeof buffer);
  void* const a = r.allocate(24);
  void* const big = r.allocate(50'000);
  void* const c = r.allocate(24);
  r.deallocate(big);
  r.deallocate(a);
  const region_census all = r.survey();
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

/// A region as a memory_resource.
class over_region final : public std::pmr::memory_resource {
 public:
  explicit over_region(region& r) : region_(r) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    return region_.allocate(bytes, align);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
    region_.deallocate(p, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  region& region_;
};

TEST(Region, CarriesContainersAndPools) {
  region r(buffer, sizeof buffer);
  {
    over_region resource(r);
    std::pmr::unsynchronized_pool_resource pool(&resource);
    for (std::pmr::memory_resource* m : {static_cast<std::pmr::memory_resource*>(&resource),
                                         static_cast<std::pmr::memory_resource*>(&pool)}) {
      std::pmr::list<std::pmr::string> list(m);
      std::pmr::map<int, std::pmr::vector<int>> map(m);
      std::pmr::unordered_map<std::pmr::string, int> names(m);
      for (int i = 0; i < 1000; ++i) {
        list.emplace_back(static_cast<std::size_t>(i % 100), 'x');
        map[i % 50].push_back(i);
        names[std::pmr::string(std::to_string(i).c_str(), m)] = i;
        if (i % 3 == 0) list.pop_front();
      }
      EXPECT_EQ(map.size(), 50u);
      EXPECT_EQ(map[7].size(), 20u);
      EXPECT_EQ(names.at("999"), 999);
      EXPECT_EQ(r.check(), 0);
    }
  }
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_EQ(r.check(), 0);
}

}  // namespace
}  // namespace heapsmith
