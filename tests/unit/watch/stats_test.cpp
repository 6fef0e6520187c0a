// Statistics are exact when nobody else allocates.
#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "heap/heap.hpp"
#include "heapsmith/heapsmith.h"

namespace heapsmith {
namespace {

hs_statistics statistics() {
  hs_statistics s;
  s.size = sizeof s;
  EXPECT_EQ(hs_stats(&s), 0);
  return s;
}

TEST(Statistics, OfAFreshProcessAreZero) {
  const hs_statistics s = statistics();
  EXPECT_EQ(s.in_use_bytes + s.slab_bytes + s.large_bytes + s.direct_bytes + s.heaps, 0u);
}

TEST(Statistics, CountEveryBlockInItsClass) {
  std::mt19937 random(9);
  std::vector<std::pair<void*, std::size_t>> live;
  std::size_t in_use = 0, large = 0, direct = 0;
  const auto account = [&](std::size_t bytes, std::size_t sign) {
    in_use += sign * bytes;
    if (bytes >= direct_map_min && bytes % MiB != 0)
      direct += sign * bytes;
    else if (bytes > cached_block_max)
      large += sign * bytes;
  };
  for (int step = 0; step < 8000; ++step) {
    if (live.size() < 50 || random() % 2 == 0) {
      const unsigned kind = random() % 400;
      // Direct maps get sizes that are not whole MiB, which distinguishes them from large blocks.
      const std::size_t bytes = kind == 0   ? direct_map_min + 4096
                                : kind < 20 ? slab_block_max + 1 + random() % (2 * MiB)
                                            : random() % 3000;
      void* const p = hs_malloc(bytes);
      live.emplace_back(p, hs_malloc_usable_size(p));
      account(live.back().second, 1);
    } else {
      std::swap(live[random() % live.size()], live.back());
      hs_free(live.back().first);
      account(live.back().second, SIZE_MAX);  // -1
      live.pop_back();
    }
    if (step % 50 != 0) continue;
    const hs_statistics s = statistics();
    ASSERT_EQ(s.in_use_bytes, in_use) << step;
    ASSERT_EQ(s.large_bytes, large);
    ASSERT_EQ(s.direct_bytes, direct);
    ASSERT_LE(s.slab_bytes + s.large_bytes + s.cached_bytes, s.committed_bytes);
    ASSERT_GE(s.peak_bytes, s.slab_bytes + s.large_bytes + s.cached_bytes + s.direct_bytes);
  }
  for (const auto& [p, bytes] : live) hs_free(p);
  EXPECT_EQ(statistics().in_use_bytes, 0u);
}

TEST(Statistics, CountBlocksThatWaitToBeCollectedAsFree) {
  std::vector<void*> b(1000);
  for (void*& p : b) p = hs_malloc(100);
  EXPECT_EQ(statistics().in_use_bytes, 112'000u);
  std::thread([&] {
    for (std::size_t i = 0; i < 700; ++i) hs_free(b[i]);
  }).join();
  EXPECT_EQ(statistics().in_use_bytes, 300u * 112);
  EXPECT_EQ(statistics().heaps, 2u);
}

TEST(Statistics, CanBeReadWhileOthersAllocate) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      void* slots[64] = {};
      while (!stop.load(std::memory_order_relaxed)) {
        void*& p = slots[random() % 64];
        hs_free(p);
        p = hs_malloc(random() % 5000);
        memset(p, 1, 8);
      }
      for (void* p : slots) hs_free(p);
    });
  for (int i = 0; i < 500; ++i) EXPECT_LT(statistics().in_use_bytes, 64 * MiB);
  stop.store(true);
  for (std::thread& t : threads) t.join();
}

TEST(Statistics, WriteNoMoreThanTheCallerHasRoomFor) {
  hs_statistics s;
  memset(&s, 0xee, sizeof s);
  s.size = 2 * sizeof(size_t);
  void* p = hs_malloc(5);
  EXPECT_EQ(hs_stats(&s), 0);
  EXPECT_EQ(s.size, 2 * sizeof(size_t));
  EXPECT_EQ(s.in_use_bytes, 16u);
  EXPECT_EQ(s.slab_bytes, 0xeeeeeeeeeeeeeeeeu);
  hs_statistics wide[2];
  wide[0].size = sizeof wide;  // a caller of a later version
  EXPECT_EQ(hs_stats(wide), 0);
  EXPECT_EQ(wide[0].size, sizeof(hs_statistics));
  memset(&s, 0xee, sizeof s);
  s.size = 2 * sizeof(size_t) + 5;  // no half fields
  EXPECT_EQ(hs_stats(&s), 0);
  EXPECT_EQ(s.size, 2 * sizeof(size_t));
  EXPECT_EQ(s.slab_bytes, 0xeeee'eeee'eeee'eeeeu);
  s.size = sizeof(size_t) + 7;
  EXPECT_EQ(hs_stats(&s), EINVAL);
  s.size = sizeof(size_t);
  EXPECT_EQ(hs_stats(&s), EINVAL);
  EXPECT_EQ(hs_stats(nullptr), EINVAL);
  hs_free(p);
}

}  // namespace
}  // namespace heapsmith
