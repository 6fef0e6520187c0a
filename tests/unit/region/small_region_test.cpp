// A region with few bins: its size, its limits, and the calls of its C API.
#include "heapsmith/small_region.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "heapsmith/decorators.hpp"

namespace heapsmith {
namespace {

alignas(64) unsigned char buffer[std::size_t{3} << 20];
constexpr std::size_t end = HS_SMALL_REGION_END;

TEST(SmallRegion, HasAtMost512BytesOfControlData) {
  static_assert(sizeof(hs_small_region) <= 512);
  static_assert(sizeof(small_region) == sizeof(hs_small_region));
  small_region r(buffer, 4096);
  EXPECT_LE(r.stats().metadata_bytes, 512u + 2 * 8) << "one free block and the sentinel";
}

TEST(SmallRegion, ServesNearlyAllOfFourKilobytes) {
  small_region r(buffer, 4096);
  void* const p = r.try_allocate(4096 - 8 - 16);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(r.try_allocate(1), nullptr);
  r.deallocate(p);
  std::vector<void*> all;
  while (void* const q = r.try_allocate(24)) all.push_back(q);
  EXPECT_EQ(all.size(), (4096u - 16) / 32);
  EXPECT_STREQ(hs_region_invariant(r.check()), "");
  for (void* q : all) r.deallocate(q);
  EXPECT_GE(r.defragment(), 4096u - 8 - 24);
}

TEST(SmallRegion, RefusesBuffersThatItsBinsDoNotReach) {
  hs_small_region r = {};
  EXPECT_EQ(hs_small_region_init(&r, buffer, end), EINVAL);
  EXPECT_EQ(hs_small_region_init(&r, buffer, end - 1), 0);
  EXPECT_EQ(hs_small_region_init(&r, buffer + end, 1000), EBUSY);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + end - 1, 1), EINVAL)
      << "joined, it is too large";
  EXPECT_EQ(hs_small_region_check(&r), 0);
  hs_small_region_destroy(&r);
}

TEST(SmallRegion, RefusesABridgeThatMakesTwoBuffersTooLarge) {
  hs_small_region r = {};
  ASSERT_EQ(hs_small_region_init(&r, buffer, end / 2), 0);
  ASSERT_EQ(hs_small_region_add_memory(&r, buffer + end / 2 + 64, end / 2 - 64), 0);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + end / 2, 64), EINVAL);
  EXPECT_EQ(hs_small_region_check(&r), 0);
  hs_small_region_destroy(&r);
}

TEST(SmallRegion, HasTwoBuffersThatDoNotAdjoin) {
  hs_small_region r = {};
  ASSERT_EQ(hs_small_region_add_memory(&r, buffer, 1000), 0);
  ASSERT_EQ(hs_small_region_add_memory(&r, buffer + 2000, 1000), 0);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + 4000, 1000), ENOSPC);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + 3000, 500), 0);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + 1000, 1000), 0);
  EXPECT_EQ(hs_small_region_add_memory(&r, buffer + 4000, 1000), 0);
  EXPECT_EQ(hs_small_region_check(&r), 0);
  hs_small_region_destroy(&r);
}

TEST(SmallRegion, RefusesRequestsThatNoBinHolds) {
  small_region r(buffer, 100'000);
  for (const std::size_t bytes :
       {end - 32, end - 8, end, end * 2, std::size_t{1} << 46, SIZE_MAX}) {
    EXPECT_EQ(r.try_allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(r.try_allocate(bytes, 4096), nullptr) << bytes;
  }
  void* const p = r.allocate(100);
  EXPECT_FALSE(r.try_expand(p, 100, end));
  EXPECT_EQ(r.try_reallocate(p, 100, SIZE_MAX), nullptr);
  EXPECT_EQ(r.try_allocate(16, std::size_t{1} << 46), nullptr);
  EXPECT_EQ(r.check(), 0);
}

TEST(SmallRegion, WithoutMemoryFailsEveryRequest) {
  small_region r;
  EXPECT_EQ(r.try_allocate(1), nullptr);
  EXPECT_EQ(r.try_allocate(1000, 64), nullptr);
  EXPECT_FALSE(r.owns(buffer));
  EXPECT_EQ(r.check(), 0);
  EXPECT_THROW(small_region(buffer, end), std::bad_alloc);
}

TEST(SmallRegion, HasAllCallsOfTheCApi) {
  hs_small_region r = {};
  hs_small_region_limit_deferred(&r, 0);
  ASSERT_EQ(hs_small_region_init(&r, buffer, 4096), 0);
  auto* p = static_cast<unsigned char*>(hs_small_region_calloc(&r, 10, 10));
  ASSERT_NE(p, nullptr);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(p[i], 0);
  EXPECT_EQ(hs_small_region_calloc(&r, end, end), nullptr);
  EXPECT_EQ(hs_small_region_try_expand(&r, p, 200), 0);
  EXPECT_GE(hs_small_region_usable_size(&r, p), 200u);
  void* const q = hs_small_region_aligned_alloc(&r, 256, 10);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % 256, 0u);
  EXPECT_EQ(hs_small_region_aligned_alloc(&r, 3, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  std::memset(p, 7, 200);
  p = static_cast<unsigned char*>(hs_small_region_aligned_realloc(&r, p, 512, 300));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 512, 0u);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(p[i], 7);
  p = static_cast<unsigned char*>(hs_small_region_realloc(&r, p, 20));
  EXPECT_EQ(hs_small_region_owns(&r, p), 1);
  hs_region_survey survey = {};
  survey.size = sizeof survey;
  ASSERT_EQ(hs_small_region_survey_blocks(&r, &survey), 0);
  EXPECT_EQ(survey.blocks_in_use, 2u);
  std::size_t blocks = 0;
  hs_small_region_for_each_block(
      &r, [](void* count, const hs_region_block*) { ++*static_cast<std::size_t*>(count); },
      &blocks);
  EXPECT_EQ(blocks, survey.blocks_in_use + survey.free_blocks);
  hs_small_region_free(&r, q);
  hs_region_statistics stats = {};
  stats.size = sizeof stats;
  ASSERT_EQ(hs_small_region_stats(&r, &stats), 0);
  EXPECT_EQ(stats.deferred_bytes, 0u);
  EXPECT_EQ(hs_small_region_check(&r), 0);
  hs_small_region_reset(&r);
  EXPECT_GE(hs_small_region_defragment(&r), 4000u);
  hs_small_region_destroy(&r);
}

TEST(SmallRegion, WorksBehindALock) {
  synchronized<small_region> r(buffer, 4096u);
  void* const p = r.allocate(100);
  r.deallocate(p, 100);
}

}  // namespace
}  // namespace heapsmith
