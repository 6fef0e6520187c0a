// Heaps of their own: whose slabs serve them, what they count and refuse, what ends with them.
#include <errno.h>

#include "heap/first_class.hpp"

namespace heapsmith {
namespace {

using test::allocate_many_in;
using test::behind;
using test::fill;
using test::heap_of;
using test::in_thread;
using test::is_filled;
using test::slab_behind;

TEST(FirstClassHeap, HasSlabsOfItsOwn) {
  heap a, b;
  void* pa = a.allocate(100);
  void* pb = b.allocate(100);
  void* pg = allocate(100);
  EXPECT_EQ(heap_of(pa), behind(a));
  EXPECT_EQ(heap_of(pb), behind(b));
  EXPECT_EQ(slab_behind(pg)->account, nullptr);
  EXPECT_NE(slab_behind(pa), slab_behind(pb));
  for (void* p : {pa, pb, pg}) deallocate(p);
}

TEST(FirstClassHeap, AFreedBlockServesTheNextRequest) {
  heap h;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    void* p = h.allocate(bytes);
    h.deallocate(p, bytes);
    EXPECT_EQ(h.allocate(bytes), p);
    hs_free(p);  // the plain name, and for 5000 bytes perhaps in a further slice of the slab
    EXPECT_EQ(h.allocate(bytes), p);
    h.deallocate(p, bytes);
  }
}

TEST(FirstClassHeap, FreesLocallyAcrossAllSlicesOfLongSlabs) {
  heap h;
  std::vector<void*> blocks = allocate_many_in(h, 40, 30000);
  EXPECT_EQ(h.stats().in_use_bytes, 40 * hs_good_size(30000));
  for (void* p : blocks) h.deallocate(p);
  EXPECT_EQ(h.stats().in_use_bytes, 0u);
}

TEST(FirstClassHeap, CountsWhatItHolds) {
  heap h;
  EXPECT_EQ(h.stats().held_bytes, 0u);
  std::vector<void*> small = allocate_many_in(h, 1000, 64);
  void* large = h.allocate(MiB);
  void* direct = h.allocate(direct_map_min);
  heap_stats s = h.stats();
  EXPECT_EQ(s.slab_bytes, slice_bytes);
  EXPECT_EQ(s.large_bytes, MiB);
  EXPECT_EQ(s.direct_bytes, direct_map_min);
  EXPECT_EQ(s.in_use_bytes, 64000 + MiB + direct_map_min);
  EXPECT_EQ(s.held_bytes, slice_bytes + MiB + direct_map_min);
  h.deallocate(large);
  hs_free(direct);
  s = h.stats();
  EXPECT_EQ(s.held_bytes, slice_bytes);
  EXPECT_EQ(s.peak_bytes, slice_bytes + MiB + direct_map_min);
}

TEST(FirstClassHeap, ResizedBlocksStayInIt) {
  heap h;
  void* p = h.allocate(100);
  fill(p, 100, 1);
  std::size_t kept = 100;
  for (const std::size_t bytes : {std::size_t{5000}, 200 * KiB, MiB, 300 * KiB, std::size_t{700}}) {
    p = hs_realloc(p, bytes);
    ASSERT_NE(p, nullptr);
    kept = std::min(kept, bytes);
    EXPECT_TRUE(is_filled(p, kept, 1)) << bytes;
    EXPECT_EQ(heap_of(p), behind(h)) << bytes;
    EXPECT_GE(h.stats().held_bytes, bytes);
  }
  p = hs_aligned_realloc(p, 4096, 3000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 4096, 0u);
  EXPECT_EQ(heap_of(p), behind(h));
  p = hs_realloc(p, direct_map_min);
  EXPECT_EQ(h.stats().direct_bytes, direct_map_min);
  p = hs_realloc(p, 2 * direct_map_min);
  EXPECT_EQ(h.stats().direct_bytes, 2 * direct_map_min);
  p = hs_realloc(p, MiB);
  EXPECT_EQ(heap_of(p), behind(h));
  EXPECT_TRUE(is_filled(p, 100, 1));
  EXPECT_EQ(h.stats().direct_bytes, 0u);
  h.deallocate(p);
  hs_purge();
  EXPECT_EQ(h.stats().held_bytes, 0u);
}

TEST(FirstClassHeap, ExtendedAndTrimmedLargeBlocksAreCounted) {
  heap h;
  void* p = h.allocate(MiB);
  ASSERT_TRUE(hs_try_expand(p, 2 * MiB));
  EXPECT_EQ(h.stats().held_bytes, 2 * MiB);
  EXPECT_EQ(hs_realloc(p, MiB / 2), p);
  EXPECT_EQ(h.stats().held_bytes, MiB / 2);
  h.set_limit(MiB);
  EXPECT_FALSE(hs_try_expand(p, 2 * MiB));
  h.deallocate(p);
  EXPECT_EQ(h.stats().held_bytes, 0u);
}

TEST(FirstClassHeap, ZeroesAndAligns) {
  heap h;
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{9000}, 300 * KiB, direct_map_min}) {
    void* dirty = h.allocate(bytes);
    memset(dirty, 1, bytes);
    h.deallocate(dirty);
    auto* p = static_cast<char*>(hs_heap_calloc(h.get(), 1, bytes));
    EXPECT_EQ(p[0], 0);
    EXPECT_EQ(memcmp(p, p + 1, bytes - 1), 0);
    h.deallocate(p);
  }
  for (std::size_t align = 1; align <= MiB; align *= 2) {
    void* p = h.allocate(100, align);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    EXPECT_EQ(heap_of(p), behind(h));
    h.deallocate(p, 100, align);
  }
  volatile std::size_t too_many = std::size_t{1} << 40;  // the compiler must not see it
  EXPECT_EQ(hs_heap_calloc(h.get(), too_many, too_many), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(hs_heap_aligned_alloc(h.get(), 24, 100), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(FirstClassHeap, KeepsItsLimit) {
  heap h(MiB);
  std::size_t n = 0;
  while (h.try_allocate(1000) != nullptr) ++n;
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GE(n, MiB / 1024 * 9 / 10);
  EXPECT_LE(h.stats().held_bytes, MiB);
  EXPECT_EQ(h.try_allocate(MiB), nullptr);
  EXPECT_EQ(h.try_allocate(direct_map_min), nullptr);
  EXPECT_THROW(static_cast<void>(h.allocate(5000)), std::bad_alloc);
  void* elsewhere = allocate(1000);  // the limit is this heap's alone
  EXPECT_NE(elsewhere, nullptr);
  deallocate(elsewhere);
  h.destroy_all();
  EXPECT_EQ(h.stats().limit_bytes, MiB);
  EXPECT_EQ(h.stats().held_bytes, 0u);
  EXPECT_NE(h.try_allocate(1000), nullptr);
  h.set_limit(0);
  EXPECT_NE(h.try_allocate(4 * MiB), nullptr);
}

TEST(FirstClassHeap, BeforeARefusalAllOfThemAreLookedThrough) {
  std::vector<heap> heaps(40);  // each keeps an empty slab
  for (heap& h : heaps)
    for (void* p : allocate_many_in(h, 100, 1000)) h.deallocate(p);
  const hs_statistics s = test::statistics();
  hs_set_limit(s.slab_bytes + s.metadata_bytes + slice_bytes);
  EXPECT_NE(allocate(20 * slice_bytes), nullptr);
  EXPECT_EQ(allocate(20 * slice_bytes), nullptr);
}

TEST(FirstClassHeap, DestructionGivesEverythingBack) {
  const std::size_t before = test::statistics().in_use_bytes;
  const std::size_t in_use = spans::count().in_use_bytes;
  const std::size_t outside = spans::count().outside_bytes;
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
    EXPECT_GT(spans::count().in_use_bytes, in_use);
  }
  EXPECT_EQ(spans::count().in_use_bytes, in_use);
  EXPECT_EQ(spans::count().outside_bytes, outside);
  EXPECT_EQ(test::statistics().in_use_bytes, before);
}

TEST(FirstClassHeap, IsUsableAfterAllItsBlocksEnded) {
  heap h;
  for (unsigned round = 0; round < 20; ++round) {
    for (unsigned i = 0; i < 3000; ++i) fill(h.allocate(100), 100, round);
    EXPECT_EQ(h.stats().in_use_bytes, 3000 * hs_good_size(100));
    h.destroy_all();
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
  const std::size_t before = spans::count().metadata_bytes;
  for (int i = 0; i < 1000; ++i) {
    heap h;
    fill(h.allocate(100), 100, 1);
    in_thread([&] { fill(h.allocate(100), 100, 1); });
  }
  EXPECT_LE(spans::count().metadata_bytes, before + 256 * KiB);
}

using FirstClassHeapDeathTest = testing::Test;

TEST(FirstClassHeapDeathTest, UseAfterTheEndStopsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  hs_heap* h = hs_heap_create();
  hs_free(hs_heap_malloc(h, 100));
  hs_heap_destroy(h);
  EXPECT_DEATH(hs_heap_destroy(h), "hs_heap_destroy\\(.*destroyed before");
  EXPECT_DEATH(hs_heap_destroy_all(h), "destroyed before");
  EXPECT_DEATH(hs_heap_malloc(h, 100), "hs_heap_malloc\\(.*destroyed before");
  EXPECT_DEATH(hs_heap_malloc(h, MiB), "destroyed before");
  EXPECT_DEATH(hs_heap_calloc(h, 1, MiB), "destroyed before");
  EXPECT_DEATH(hs_heap_aligned_alloc(h, MiB, MiB), "destroyed before");
}

TEST(FirstClassHeapDeathTest, SecondFreesStopTheProcess) {
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
