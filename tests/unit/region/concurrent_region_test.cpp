// The concurrent region: cached blocks count as free, and are used before a request fails.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/decorators.hpp"

namespace heapsmith {
namespace {

class ConcurrentRegion : public testing::Test {
 protected:
  static constexpr std::size_t size = std::size_t{4} << 20;

  std::unique_ptr<unsigned char[]> buffer_ = std::make_unique<unsigned char[]>(size);
  std::unique_ptr<concurrent_region> region_ =
      std::make_unique<concurrent_region>(buffer_.get(), size);

  static void in_thread(auto step) { std::thread(step).join(); }

  /// Allocates blocks until a request fails.
  std::vector<void*> take_all(std::size_t bytes) {
    std::vector<void*> blocks;
    while (void* p = region_->try_allocate(bytes)) blocks.push_back(p);
    return blocks;
  }
};

TEST_F(ConcurrentRegion, CachedBlocksAreNotInUse) {
  const region_stats empty = region_->stats();
  EXPECT_EQ(empty.in_use_bytes, 0u);
  void* p = region_->allocate(100);
  EXPECT_EQ(region_->stats().in_use_bytes, 112u);
  EXPECT_EQ(region_->survey().blocks_in_use, 1u);
  region_->deallocate(p);
  const region_stats after = region_->stats();
  EXPECT_EQ(after.in_use_bytes, 0u);
  EXPECT_EQ(after.available_bytes, empty.available_bytes);
  EXPECT_GE(after.deferred_bytes, 112u) << "it lies in a cache";
  EXPECT_EQ(region_->survey().blocks_in_use, 0u);
  EXPECT_GE(region_->survey().deferred_blocks, 1u);
  EXPECT_EQ(region_->check(), 0);
}

TEST_F(ConcurrentRegion, TheLatestFreedBlockIsReusedFirst) {
  void* p = region_->allocate(100);
  void* q = region_->allocate(100);
  region_->deallocate(p);
  region_->deallocate(q);
  EXPECT_EQ(region_->allocate(104), q);
  EXPECT_EQ(region_->allocate(90), p);
}

TEST_F(ConcurrentRegion, CachesOfOtherThreadsAreEmptiedBeforeARequestFails) {
  const std::size_t largest = region_->defragment();
  const std::vector<void*> blocks = take_all(200);
  ASSERT_GT(blocks.size(), 10'000u);
  // Each of these threads leaves its freed blocks in a cache of its own.
  for (std::size_t t = 0; t < 8; ++t)
    in_thread([&, t] {
      for (std::size_t i = t; i < blocks.size(); i += 8) region_->deallocate(blocks[i]);
    });
  EXPECT_GT(region_->stats().deferred_bytes, 8u * 1024);
  void* all = region_->try_allocate(largest);
  EXPECT_NE(all, nullptr);
  region_->deallocate(all);
}

TEST_F(ConcurrentRegion, ASingleCachedBlockIsFound) {
  const std::vector<void*> blocks = take_all(500);
  in_thread([&] { region_->deallocate(blocks[77]); });
  EXPECT_EQ(region_->try_allocate(500), blocks[77]);
  EXPECT_EQ(region_->try_allocate(500), nullptr);
}

TEST_F(ConcurrentRegion, FailuresAreCountedOnce) {
  EXPECT_EQ(region_->try_allocate(2 * size), nullptr);
  EXPECT_EQ(region_->stats().failed_requests, 1u);
  const std::vector<void*> blocks = take_all(300);
  EXPECT_EQ(region_->stats().failed_requests, 2u);
  EXPECT_EQ(region_->try_allocate(5000), nullptr);
  EXPECT_EQ(region_->stats().failed_requests, 3u);
  in_thread([&] {
    for (void* p : blocks) region_->deallocate(p);
  });
  EXPECT_NE(region_->try_allocate(size / 2), nullptr);
  EXPECT_EQ(region_->stats().failed_requests, 3u) << "retried with success";
  EXPECT_THROW(static_cast<void>(region_->reallocate(region_->allocate(10), 10, size)),
               std::bad_alloc);
  EXPECT_EQ(region_->stats().failed_requests, 4u);
}

TEST_F(ConcurrentRegion, ABlockGrowsIntoCachedBlocksBehindItAsALastResort) {
  auto* p = static_cast<unsigned char*>(region_->allocate(2000));
  std::memset(p, 7, 2000);
  const std::vector<void*> blocks = take_all(24);
  // Some blocks behind it are free, in the cache of another thread.
  in_thread([&] {
    for (void* b : blocks)
      if (b > p && b < p + 4000) region_->deallocate(b);
  });
  auto* q = static_cast<unsigned char*>(region_->reallocate(p, 2000, 3000));
  EXPECT_EQ(q, p) << "no other block fits";
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(q[i], 7);
  EXPECT_EQ(region_->check(), 0);
}

TEST_F(ConcurrentRegion, ResetEndsCachedAndOtherBlocks) {
  const std::size_t largest = region_->defragment();
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(region_->allocate(100));
    for (int i = 0; i < 1000; i += 2) region_->deallocate(blocks[static_cast<std::size_t>(i)]);
    region_->reset();
    EXPECT_EQ(region_->stats().in_use_bytes, 0u);
    EXPECT_EQ(region_->check(), 0);
    EXPECT_EQ(region_->defragment(), largest);
  }
}

TEST_F(ConcurrentRegion, AllBlocksAreVisited) {
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(region_->allocate(50));
  for (int i = 0; i < 40; ++i) region_->deallocate(blocks[static_cast<std::size_t>(i)]);
  std::size_t in_use = 0;
  region_->for_each_block([&](const region_block& b) { in_use += b.state == HS_REGION_IN_USE; });
  EXPECT_EQ(in_use, 60u);
}

TEST_F(ConcurrentRegion, AddedMemoryIsCachedToo) {
  constexpr std::size_t more = std::size_t{1} << 20;
  const auto second = std::make_unique<unsigned char[]>(more);
  const std::vector<void*> blocks = take_all(1000);
  ASSERT_TRUE(region_->add_memory(second.get(), more));
  EXPECT_FALSE(region_->add_memory(second.get(), more));
  void* p = region_->allocate(100);
  EXPECT_TRUE(region_->owns(p));
  EXPECT_GE(p, second.get());
  region_->deallocate(p);
  EXPECT_EQ(region_->allocate(100), p);
  EXPECT_EQ(region_->check(), 0);
  EXPECT_FALSE(blocks.empty());
}

TEST_F(ConcurrentRegion, ReallocateInEveryDirection) {
  void* p = region_->reallocate(nullptr, 0, 100);
  EXPECT_EQ(region_->reallocate(p, 100, 104), p) << "it fits as it is";
  void* wall = region_->allocate(100);
  std::memset(p, 3, 104);
  auto* q = static_cast<unsigned char*>(region_->reallocate(p, 104, 5000));
  for (int i = 0; i < 104; ++i) ASSERT_EQ(q[i], 3);
  EXPECT_EQ(region_->reallocate(q, 5000, 50), q);
  EXPECT_LT(region_->usable_size(q), 100u);
  region_->deallocate(q);
  region_->deallocate(wall);
  EXPECT_EQ(region_->stats().in_use_bytes, 0u);
}

TEST(ConcurrentRegionSmall, HundredAndFiftyBytes) {
  alignas(16) unsigned char hundred[100], fifty[50];
  concurrent_region a(hundred, sizeof hundred), b(fifty, sizeof fifty);
  for (int round = 0; round < 3; ++round) {
    void* p = a.allocate(10);
    void* q = a.allocate(40);
    EXPECT_NE(p, q);
    a.deallocate(p);
    a.deallocate(q);
    b.deallocate(b.allocate(10));
  }
  EXPECT_EQ(b.try_allocate(50), nullptr);
  EXPECT_EQ(a.check(), 0);
}

TEST(ConcurrentRegionSmall, EveryRequestFailsWithoutMemory) {
  concurrent_region r;
  EXPECT_EQ(r.try_allocate(1), nullptr);
  EXPECT_EQ(r.try_allocate(100'000), nullptr);
  r.deallocate(nullptr);
  EXPECT_FALSE(r.owns(&r));
  EXPECT_EQ(r.stats().failed_requests, 2u);
  alignas(16) static unsigned char buffer[10'000];
  EXPECT_TRUE(r.init(buffer, sizeof buffer));
  EXPECT_FALSE(r.init(buffer, sizeof buffer));
  r.deallocate(r.allocate(1));
}

TEST(SynchronizedRegion, HasTheFunctionsOfARegion) {
  alignas(16) static unsigned char buffer[10'000], more[1000];
  synchronized_region r;
  ASSERT_TRUE(r.init(buffer, sizeof buffer));
  ASSERT_TRUE(r.add_memory(more, sizeof more));
  void* p = r.allocate(100);
  EXPECT_GE(r.usable_size(p), 100u);
  EXPECT_TRUE(r.owns(p));
  EXPECT_EQ(r.survey().blocks_in_use, 1u);
  EXPECT_EQ(r.stats().in_use_bytes, 112u);
  EXPECT_EQ(r.check(), 0);
  r.deallocate(p);
  EXPECT_GT(r.defragment(), 9000u);
  std::size_t in_use = 0;
  r.for_each_block([&](const region_block& b) { in_use += b.state == HS_REGION_IN_USE; });
  EXPECT_EQ(in_use, 0u);
}

}  // namespace
}  // namespace heapsmith
