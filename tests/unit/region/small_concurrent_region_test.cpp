// A concurrent region with few bins and few caches: threads over a few kilobytes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/small_region.hpp"

namespace heapsmith {
namespace {

alignas(64) unsigned char buffer[HS_SMALL_REGION_END - 1];

TEST(SmallConcurrentRegion, IsAThirtiethOfTheLargeOne) {
  static_assert(sizeof(small_concurrent_region) <= 1408);
  static_assert(sizeof(concurrent_region) >= 30 * sizeof(small_concurrent_region));
}

TEST(SmallConcurrentRegion, UsesCachedBlocksBeforeARequestFails) {
  small_concurrent_region r(buffer, 4096);
  const std::size_t largest = r.defragment();
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> all;
    while (void* const p = r.try_allocate(40)) all.push_back(p);
    EXPECT_EQ(all.size(), (4096u - 16) / 48);
    std::thread([&] {
      for (void* p : all) r.deallocate(p);
    }).join();
    EXPECT_EQ(r.stats().in_use_bytes, 0u);
    void* const p = r.try_allocate(largest);
    ASSERT_NE(p, nullptr);
    r.deallocate(p);
    EXPECT_EQ(r.check(), 0);
  }
}

TEST(SmallConcurrentRegion, CachesBlocksUpTo136BytesOnly) {
  small_concurrent_region r(buffer, sizeof buffer);
  for (const std::size_t bytes : {1u, 24u, 128u, 136u, 137u, 500u, 1032u, 5000u}) {
    void* const p = r.allocate(bytes);
    std::memset(p, 1, bytes);
    r.deallocate(p);
    EXPECT_EQ(r.check(), 0) << bytes;
    EXPECT_EQ(r.stats().in_use_bytes, 0u) << bytes;
  }
}

TEST(SmallConcurrentRegion, MoreThreadsThanCachesKeepTheirBlocksApart) {
  small_concurrent_region r(buffer, 64 << 10);
  constexpr unsigned threads_started = 8;
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong = 0;
  for (unsigned t = 0; t < threads_started; ++t)
    threads.emplace_back([&, t] {
      struct block {
        unsigned char* p = nullptr;
        std::size_t bytes = 0;
      };
      std::mt19937 random(t);
      block live[40];
      for (int step = 0; step < 20'000; ++step) {
        block& b = live[random() % std::size(live)];
        for (std::size_t i = 0; i < b.bytes; ++i) wrong += b.p[i] != t;
        if (b.p != nullptr) {
          r.deallocate(b.p);
          b = {};
        } else {
          b.bytes = 1 + random() % (random() % 4 == 0 ? 600 : 130);
          b.p = static_cast<unsigned char*>(r.try_allocate(b.bytes));
          if (b.p == nullptr) b.bytes = 0;
          if (b.p != nullptr) std::memset(b.p, static_cast<int>(t), b.bytes);
        }
      }
      for (const block& b : live) r.deallocate(b.p);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(r.check(), 0);
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_GE(r.defragment(), (64u << 10) - 32);
}

}  // namespace
}  // namespace heapsmith
