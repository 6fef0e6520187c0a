// The ends of first-class heaps: what goes with them, what may come after, and what is misuse.
#include "support/first_class.hpp"

namespace heapsmith {
namespace {

using test::behind;
using test::fill;
using test::heap_of;
using test::in_thread;
using test::is_filled;

TEST(FirstClassHeap, DestructionGivesEverythingBack) {
  const std::size_t before = test::statistics().in_use_bytes;
  const std::size_t in_use = spans::stats().in_use_bytes;
  const std::size_t outside = spans::stats().outside_bytes;
  {
    heap h;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t)
      threads.emplace_back([&h] {
        for (std::size_t bytes = 1; bytes < 100 * KiB; bytes += bytes / 3 + 1)
          for (int i = 0; i < 50; ++i) fill(h.allocate(bytes), bytes, 7);
      });
    for (std::thread& t : threads) t.join();
    static_cast<void>(h.allocate(direct_map_min));
    static_cast<void>(h.allocate(2 * direct_map_min));
    EXPECT_GT(spans::stats().in_use_bytes, in_use);
  }
  EXPECT_EQ(spans::stats().in_use_bytes, in_use);
  EXPECT_EQ(spans::stats().outside_bytes, outside);
  EXPECT_EQ(test::statistics().in_use_bytes, before);
}

TEST(FirstClassHeap, IsUsableAfterAllItsBlocksEnded) {
  heap h;
  for (unsigned round = 0; round < 20; ++round) {
    for (unsigned i = 0; i < 3000; ++i) fill(h.allocate(100), 100, round);
    EXPECT_EQ(h.stats().in_use_bytes, 3000 * hs_good_size(100));
    h.reset();
    EXPECT_EQ(h.stats().held_bytes, 0u);
  }
}

TEST(FirstClassHeap, MovesWithItsBlocks) {
  heap a;
  void* p = a.allocate(100);
  heap b(std::move(a));
  EXPECT_EQ(heap_of(p), behind(b));
  heap c;
  c = std::move(b);
  EXPECT_EQ(heap_of(p), behind(c));
  c.deallocate(p);
}

TEST(FirstClassHeap, ManyHeapsInOneThread) {
  std::vector<heap> heaps(50);  // more than a thread remembers
  std::vector<void*> blocks;
  for (unsigned round = 0; round < 20; ++round)
    for (unsigned i = 0; i < heaps.size(); ++i) {
      void* p = heaps[i].allocate(64);
      fill(p, 64, i);
      EXPECT_EQ(heap_of(p), behind(heaps[i]));
      blocks.push_back(p);
    }
  for (unsigned i = 0; i < blocks.size(); ++i) {
    EXPECT_TRUE(is_filled(blocks[i], 64, i % 50));
    hs_free(blocks[i]);
  }
  for (const heap& h : heaps) EXPECT_EQ(h.stats().in_use_bytes, 0u);
}

TEST(FirstClassHeap, MemoryForHeapsIsReused) {
  {
    const heap warm;
  }
  const std::size_t before = spans::stats().metadata_bytes;
  for (int i = 0; i < 1000; ++i) {
    heap h;
    fill(h.allocate(100), 100, 1);
    in_thread([&] { fill(h.allocate(100), 100, 1); });
  }
  EXPECT_LE(spans::stats().metadata_bytes, before + 256 * KiB);
}

using FirstClassHeapDeathTest = testing::Test;

TEST(FirstClassHeapDeathTest, UseAfterTheEndAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  hs_heap* h = hs_heap_create();
  hs_free(hs_heap_malloc(h, 100));
  hs_heap_destroy(h);
  EXPECT_DEATH(hs_heap_destroy(h), "hs_heap_destroy\\(.*destroyed before");
  EXPECT_DEATH(hs_heap_reset(h), "destroyed before");
  EXPECT_DEATH(hs_heap_malloc(h, 100), "hs_heap_malloc\\(.*destroyed before");
  EXPECT_DEATH(hs_heap_malloc(h, MiB), "destroyed before");
  EXPECT_DEATH(hs_heap_calloc(h, 1, MiB), "destroyed before");
  EXPECT_DEATH(hs_heap_aligned_alloc(h, MiB, MiB), "destroyed before");
}

TEST(FirstClassHeapDeathTest, SecondFreesAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  heap h;
  void* p = h.allocate(100);
  static_cast<void>(h.allocate(100));
  h.deallocate(p);
  EXPECT_DEATH(h.deallocate(p), "freed twice");
  EXPECT_DEATH(hs_free(p), "freed twice");
  void* q = h.allocate(5000);
  in_thread([&] {
    hs_free(q);
    EXPECT_DEATH(hs_free(q), "freed twice");
  });
}

}  // namespace
}  // namespace heapsmith
