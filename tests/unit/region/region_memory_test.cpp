// The buffers of a region: any address and size, several and adjoining ones, and their end.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "heapsmith/region.hpp"
#include "heapsmith/small_region.hpp"

#if defined(HEAPSMITH_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace heapsmith {
namespace {

alignas(64) unsigned char buffer[1 << 18];

template <class R>
class RegionEdges : public testing::Test {};
using regions_of_all_bins = testing::Types<region, small_region>;
TYPED_TEST_SUITE(RegionEdges, regions_of_all_bins);

TYPED_TEST(RegionEdges, EverySmallBufferIsRefusedOrUsedToItsEnds) {
  for (std::size_t shift = 0; shift < 32; ++shift)
    for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
      unsigned char* const begin = buffer + 64 + shift;
      std::memset(buffer, 0x5a, 512);
      {
        TypeParam r;
        const bool taken = r.init(begin, bytes);
        if (bytes < 40) {
          ASSERT_FALSE(taken);
        }
        if (bytes >= 55) {
          ASSERT_TRUE(taken);
        }
        std::vector<void*> all;
        while (void* const p = r.try_allocate(1)) {
          ASSERT_TRUE(taken);
          ASSERT_GE(static_cast<unsigned char*>(p), begin);
          ASSERT_LE(static_cast<unsigned char*>(p) + r.usable_size(p), begin + bytes);
          ASSERT_TRUE(r.owns(p));
          std::memset(p, 1, r.usable_size(p));
          all.push_back(p);
        }
        ASSERT_EQ(taken, !all.empty());
        ASSERT_STREQ(hs_region_invariant(r.check()), "");
        for (void* p : all) r.deallocate(p);
        ASSERT_STREQ(hs_region_invariant(r.check()), "");
      }
      for (unsigned char* p = buffer; p < buffer + 512; ++p)
        ASSERT_TRUE(*p == 0x5a || (p >= begin && p < begin + bytes)) << "written outside";
    }
}

TEST(RegionMemory, StartsOnceAndRefusesInvalidBuffers) {
  hs_region r = {};
  EXPECT_EQ(hs_region_init(&r, nullptr, 1000), EINVAL);
  EXPECT_EQ(hs_region_init(&r, buffer, 0), EINVAL);
  EXPECT_EQ(hs_region_init(&r, buffer, SIZE_MAX), EINVAL);
  EXPECT_EQ(hs_region_init(&r, buffer, std::size_t{1} << 47), EINVAL);
  EXPECT_EQ(hs_region_init(&r, buffer, 1000), 0);
  EXPECT_EQ(hs_region_init(&r, buffer + 2000, 1000), EBUSY);
  EXPECT_EQ(hs_region_add_memory(&r, buffer + 999, 1000), EINVAL);
  EXPECT_EQ(hs_region_add_memory(&r, buffer, 1000), EINVAL);
  EXPECT_EQ(hs_region_add_memory(&r, buffer + 100, 10), EINVAL);
  EXPECT_EQ(hs_region_add_memory(&r, buffer + 2000, 30), EINVAL);
  EXPECT_EQ(hs_region_check(&r), 0);
  hs_region_destroy(&r);
  EXPECT_EQ(hs_region_init(&r, buffer + 2000, 1000), 0);
  hs_region_destroy(&r);
}

TEST(RegionMemory, EveryRequestFailsWithoutMemory) {
  region r;
  errno = 0;
  EXPECT_EQ(r.try_allocate(1), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_THROW(static_cast<void>(r.allocate(1)), std::bad_alloc);
  EXPECT_EQ(r.check(), 0);
  EXPECT_EQ(r.defragment(), 0u);
  r.reset();
  EXPECT_EQ(r.stats().buffer_bytes, 0u);
  EXPECT_FALSE(r.owns(buffer));
  EXPECT_EQ(r.survey().free_blocks, 0u);
  r.deallocate(nullptr);
}

TEST(RegionMemory, AdjoiningBuffersBecomeOne) {
  // 20 pieces of 4 KiB, in every order that matters: up, down, and into gaps.
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::size_t> order(20);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    region r;
    for (std::size_t i : order) {
      ASSERT_TRUE(r.add_memory(buffer + 4096 * i, 4096));
      ASSERT_STREQ(hs_region_invariant(r.check()), "");
    }
    EXPECT_EQ(r.stats().buffers, 1u);
    EXPECT_EQ(r.stats().blocks, 1u);
    EXPECT_NE(r.try_allocate(20 * 4096 - 24), nullptr);
  }
}

TEST(RegionMemory, BuffersOfAnySizeJoinWhileBlocksAreInUse) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    std::size_t end = random() % 16;
    while (pieces.size() < 30) {
      const std::size_t bytes = random() % 3 == 0 ? 1 + random() % 60 : 60 + random() % 1000;
      pieces.emplace_back(end, bytes);
      end += bytes;
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    region r;
    std::vector<void*> live;
    std::size_t taken = 0;
    for (const auto& [from, bytes] : pieces) {
      if (r.add_memory(buffer + from, bytes)) taken += bytes;
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << round;
      ASSERT_EQ(r.stats().buffer_bytes, taken);
      while (random() % 4 != 0) {
        if (void* const p = r.try_allocate(random() % 300)) {
          std::memset(p, 3, r.usable_size(p));
          live.push_back(p);
        }
      }
      while (!live.empty() && random() % 2 == 0) {
        r.deallocate(live.back());
        live.pop_back();
      }
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << round;
    }
    for (void* p : live) r.deallocate(p);
    r.defragment();
    ASSERT_STREQ(hs_region_invariant(r.check()), "");
    ASSERT_EQ(r.stats().in_use_bytes, 0u);
  }
}

TEST(RegionMemory, HoldsAsManyBuffersAsDocumented) {
  region r;
  for (std::size_t i = 0; i < HS_REGION_BUFFERS; ++i)
    ASSERT_TRUE(r.add_memory(buffer + 1000 * i, 900));
  EXPECT_EQ(hs_region_add_memory(r.native(), buffer + 1000 * HS_REGION_BUFFERS, 900), ENOSPC);
  EXPECT_TRUE(r.add_memory(buffer + 900, 100))
      << "joins two buffers, so the table need not have room";
  EXPECT_TRUE(r.add_memory(buffer + 1000 * HS_REGION_BUFFERS, 900));
  std::set<void*> all;
  while (void* const p = r.try_allocate(800)) all.insert(p);
  EXPECT_EQ(all.size(), HS_REGION_BUFFERS + 1u);
  for (void* p : all) r.deallocate(p);
  EXPECT_EQ(r.check(), 0);
  EXPECT_FALSE(r.owns(buffer + 2950));
}

TEST(RegionMemory, ResetEndsAllBlocksAndKeepsTheMemory) {
  region r(buffer, 10'000);
  ASSERT_TRUE(r.add_memory(buffer + 20'000, 10'000));
  for (int round = 0; round < 20; ++round) {
    std::size_t n = 0;
    while (r.try_allocate(100) != nullptr) ++n;
    EXPECT_EQ(n, 2 * 9984u / 112);
    r.reset();
    EXPECT_EQ(r.stats().in_use_bytes, 0u);
    EXPECT_EQ(r.stats().blocks, 2u);
    EXPECT_EQ(r.check(), 0);
  }
}

#if defined(HEAPSMITH_UNDER_ASAN)

bool is_poisoned(const void* p) {
  return __asan_address_is_poisoned(p) != 0;
}

TEST(RegionPoison, OnlyRequestedBytesMayBeAccessed) {
  unsigned char* p;
  {
    region r(buffer + 1, 10'000);
    EXPECT_TRUE(is_poisoned(buffer + 8));
    EXPECT_TRUE(is_poisoned(buffer + 9'999));
    p = static_cast<unsigned char*>(r.allocate(100));
    EXPECT_EQ(__asan_region_is_poisoned(p, 100), nullptr);
    EXPECT_TRUE(is_poisoned(p - 1)) << "the header";
    EXPECT_TRUE(is_poisoned(p + 100)) << "beyond the requested size";
    EXPECT_EQ(r.usable_size(p), 104u);
    EXPECT_FALSE(is_poisoned(p + 103)) << "usable_size allows the use of these bytes";
    EXPECT_TRUE(r.try_expand(p, 104, 300));
    EXPECT_FALSE(is_poisoned(p + 299));
    EXPECT_TRUE(is_poisoned(p + 300));
    EXPECT_TRUE(r.try_expand(p, 300, 50));
    EXPECT_TRUE(is_poisoned(p + 50 + 6));
    EXPECT_TRUE(is_poisoned(p + 200));
    void* const moved = r.reallocate(p, 50, 5'000, 256);
    EXPECT_EQ(__asan_region_is_poisoned(moved, 5'000), nullptr);
    r.deallocate(moved);
    EXPECT_TRUE(is_poisoned(moved));
    p = static_cast<unsigned char*>(r.allocate(1'000));
    r.reset();
    EXPECT_TRUE(is_poisoned(p));
    p = static_cast<unsigned char*>(r.allocate(1'000));
  }
  EXPECT_EQ(__asan_region_is_poisoned(buffer, sizeof buffer), nullptr)
      << "the buffer is the caller's again";
}

#endif

}  // namespace
}  // namespace heapsmith
