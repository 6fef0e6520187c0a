// Middle blocks: cached by threads, exchanged in the depot, at home in the shared heap.
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <random>
#include <thread>

#include "heap/purge.hpp"
#include "spans/settings.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"
#include "support/replacer.hpp"
#include "threads/shared_heap.hpp"

namespace heapsmith {
namespace {

using test::allocate_many;
using test::free_all;
using test::replacer;

TEST(Middle, ReusesTheBlockFreedLastWhicheverThreadAllocatedIt) {
  const std::vector<void*> b = allocate_many(3, 5000);
  std::thread([&] {
    deallocate(allocate(5000));  // it takes blocks: so it may cache some
    deallocate(b[0]);
    deallocate(b[1]);
    EXPECT_EQ(allocate(5000), b[1]);
    EXPECT_EQ(allocate(5000), b[0]);
  }).join();
}

TEST(Middle, BlocksOfAllThreadsShareSlabs) {
  std::vector<void*> b(8);
  std::atomic<int> alive{0};
  std::vector<std::thread> threads;
  for (void*& p : b)
    threads.emplace_back([&] {
      p = allocate(8192);
      for (++alive; alive.load() != 8;) std::this_thread::yield();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(test::statistics().slab_bytes, slab_slices(class_of(8192)) * slice_bytes);
  free_all(b);
}

TEST(Middle, PrivateWorkStaysPrivate) {
  constexpr unsigned steps = 50'000;
  spans::settings().purge_delay_ms.store(spans::never_purge);  // a slow machine forgets nothing
  for (const unsigned threads : {1u, 2u, 16u}) {
    std::atomic<unsigned> all{0};
    std::barrier everybody(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        replacer r(t);
        r.exchanges(4 * steps);  // it fills the table, and earns its cache
        everybody.arrive_and_wait();
        all += r.exchanges(steps);
        everybody.arrive_and_wait();
      });
    for (std::thread& t : running) t.join();
    EXPECT_LE(all, threads * steps / 1000) << threads;
  }
}

TEST(Middle, AnHeirCachesItsShareOfWhatAllHave) {
  constexpr unsigned steps = 20'000;
  spans::settings().purge_delay_ms.store(spans::never_purge);
  replacer r(7, 3000, 1100, 16'000);
  unsigned n = 0;
  std::thread([&] { r.exchanges(2 * steps); }).join();
  std::thread([&] {
    r.exchanges(4 * steps);
    n = r.exchanges(steps);
  }).join();
  EXPECT_LE(n, steps / 100) << "its predecessor took the blocks";
}

TEST(Middle, WhatIsInUseIsCountedExactly) {
  EXPECT_EQ(middle_bytes.out.load(), 0);
  for (unsigned seed = 0; seed != 3; ++seed)
    std::thread([&] {
      replacer r(seed, 300, 1100, 200'000);
      r.exchanges(10'000);
    }).join();
  hs_purge();
  EXPECT_EQ(middle_bytes.out.load(), 0) << "all is free, and nothing is cached";
}

TEST(Middle, AThreadThatOnlyFreesKeepsLittle) {
  const std::vector<void*> b = allocate_many(1000, 3000);
  const std::size_t before = test::statistics().slab_bytes;
  std::atomic<int> step{0};
  std::thread other([&] {
    free_all(b);
    step.store(1);
    while (step.load() == 1) std::this_thread::yield();
  });
  while (step.load() == 0) std::this_thread::yield();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
  EXPECT_LT(test::statistics().slab_bytes, before / 2);
  step.store(2);
  other.join();
}

TEST(Middle, AThreadThatEndsReturnsAll) {
  std::thread([] {
    for (int i = 0; i < 20; ++i) free_all(allocate_many(300, 6000));
  }).join();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
  hs_purge();
  EXPECT_EQ(test::statistics().slab_bytes, 0u);
}

TEST(Middle, APurgeTakesAllFromItsOwnThread) {
  std::vector<void*> b = allocate_many(500, 20'000);
  for (void* p : b) memset(p, 1, 20'000);
  free_all(b);
  EXPECT_EQ(test::statistics().in_use_bytes, 0u) << "cached blocks are free";
  hs_purge();
  EXPECT_EQ(test::statistics().slab_bytes, 0u);
  EXPECT_EQ(t_heap->budget.cached(), 0);
}

TEST(Middle, AThreadThatSleepsKeepsAFewBlocks) {
  std::atomic<int> step{0};
  std::thread sleeper([&] {
    std::vector<void*> b;
    for (std::size_t c = first_middle; c < class_count; ++c)
      for (unsigned i = 0; i < 100; ++i) b.push_back(memset(allocate(class_bytes(c)), 1, 16));
    free_all(b);
    step.store(1);
    while (step.load() == 1) std::this_thread::yield();
  });
  while (step.load() == 0) std::this_thread::yield();
  hs_purge();
  EXPECT_LE(test::statistics().slab_bytes, 8 * 4 * slice_bytes);
  step.store(2);
  sleeper.join();
}

TEST(Middle, APurgeReleasesThePagesOfFreeBlocksInSlabsThatLiveOn) {
  const std::size_t bytes = 32768, n = slab_capacity(class_of(bytes));
  if (test::os_page() > 4 * KiB) GTEST_SKIP() << "a block has few whole pages";
  const std::vector<void*> b = allocate_many(n, bytes);
  for (void* p : b) memset(p, 1, bytes);
  for (std::size_t i = 1; i < n; ++i) deallocate(b[i]);
  hs_purge();
  EXPECT_EQ(test::resident_bytes(b[0], n * bytes), bytes + (n - 1) * test::os_page());
  EXPECT_TRUE(std::all_of(static_cast<char*>(b[0]), static_cast<char*>(b[0]) + bytes,
                          [](char x) { return x == 1; }));
  for (std::size_t i = 1; i < n; ++i) memset(allocate(bytes), 2, bytes);
}

TEST(Middle, ABlockLargerThanTheCacheIsCachedOnceItWasNeededAgain) {
  void* const p = allocate(32768);
  deallocate(p);
  EXPECT_EQ(t_heap->budget.cached(), 0);
  EXPECT_EQ(allocate(32768), p);
  deallocate(p);
  EXPECT_EQ(t_heap->budget.cached(), 32768);
}

TEST(Middle, AlignedBlocksAreCachedToo) {
  void* const p = allocate_aligned(5000, 4096);
  deallocate(p);
  EXPECT_EQ(allocate(8192), p);
  deallocate(p);
  std::vector<void*> b(4);
  for (int i = 0; i < 8; ++i) {
    for (void*& q : b) {
      q = allocate_aligned(100, slice_bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % slice_bytes, 0u);
    }
    free_all(b);
  }
  const std::size_t takes = spans::stats().takes;
  deallocate(allocate_aligned(slice_bytes, slice_bytes));
  EXPECT_EQ(spans::stats().takes, takes);
}

TEST(Middle, CachedBlocksAndTheDepotGoBackAfterThePurgeDelay) {
  spans::settings().purge_delay_ms.store(20);
  for (int i = 0; i < 20; ++i) free_all(allocate_many(300, 6000));
  EXPECT_GT(t_heap->budget.cached() + middle_bytes.in_depot.load(), 64 * KiB);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // Slow paths that need nothing of the class look at the clock.
  const std::vector<void*> b = allocate_many(20'000, 48);
  EXPECT_EQ(t_heap->budget.cached(), 0);
  EXPECT_EQ(middle_bytes.in_depot.load(), 0);
  free_all(b);
}

TEST(Middle, TheDepotServesOtherClassesBeforeARefusal) {
  hs_set_limit(8 * MiB);
  std::vector<void*> b;
  while (void* p = allocate(4096)) b.push_back(p);
  const std::size_t slabs = 8, freed = slabs * slab_capacity(class_of(4096));
  ASSERT_GT(b.size(), freed);
  std::atomic<int> step{0};
  std::thread other([&] {  // lives on: nobody else empties the depot
    for (std::size_t i = 0; i < freed; ++i) deallocate(b[i]);
    step.store(1);
    while (step.load() == 1) std::this_thread::yield();
  });
  while (step.load() == 0) std::this_thread::yield();
  EXPECT_GT(middle_bytes.in_depot.load(), 256 * KiB);
  for (int i = 0; i < 1000 && middle_bytes.in_depot.load() != 0; ++i)
    ASSERT_NE(allocate(8192), nullptr) << "refused, although the depot has memory";
  EXPECT_EQ(middle_bytes.in_depot.load(), 0);
  step.store(2);
  other.join();
  hs_set_limit(0);
}

TEST(Middle, APurgeTellsHowMuchItReleasedWithinSlabs) {
  const std::size_t bytes = 32768, n = slab_capacity(class_of(bytes));
  if (test::os_page() > 4 * KiB) GTEST_SKIP() << "a block has few whole pages";
  const std::vector<void*> b = allocate_many(n, bytes);
  for (std::size_t i = 1; i < n; ++i) deallocate(b[i]);
  EXPECT_GE(hs_purge(), (n - 1) * (bytes - test::os_page()));
  EXPECT_EQ(hs_purge(), 0u) << "each block once";
}

TEST(Middle, ThreadsThatExchangeBlocksNeverShareOne) {
  constexpr unsigned threads = 4, rounds = 300, blocks = 64;
  std::atomic<void*> table[256] = {};
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::mt19937 random(t);
      for (unsigned round = 0; round < rounds; ++round)
        for (unsigned i = 0; i < blocks; ++i) {
          const std::size_t bytes = direct_max + 1 + random() % (15 * KiB);
          auto* const p = static_cast<std::uintptr_t*>(allocate(bytes));
          p[0] = p[bytes / 8 - 1] = bytes ^ reinterpret_cast<std::uintptr_t>(p);
          auto* const old = static_cast<std::uintptr_t*>(table[random() % 256].exchange(p));
          if (old == nullptr) continue;
          const std::size_t was = old[0] ^ reinterpret_cast<std::uintptr_t>(old);
          ASSERT_LE(was, 16 * KiB);
          ASSERT_EQ(old[was / 8 - 1], old[0]);
          deallocate(old);
        }
    });
  for (std::thread& t : running) t.join();
  for (auto& p : table) deallocate(p.load());
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Middle, ALimitIsRefusedOnlyOnceTheCacheIsEmpty) {
  hs_set_limit(8 * MiB);
  std::vector<void*> b;
  while (void* p = allocate(4000)) b.push_back(p);
  free_all(b);
  b.clear();
  while (void* p = allocate(30'000)) b.push_back(p);
  EXPECT_GT(b.size() * 30'000, 6 * MiB) << "the memory of the other class serves";
  EXPECT_EQ(t_heap->budget.cached(), 0);
  free_all(b);
  hs_set_limit(0);
}

TEST(MiddleDeathTest, TellsASecondFreeAtOnce) {
  void* const p = allocate(5000);
  deallocate(p);
  EXPECT_DEATH(deallocate(p), "freed twice");
  std::thread([=] { EXPECT_DEATH(deallocate(p), "freed twice"); }).join();
}

TEST(MiddleDeathTest, TellsAWriteToAFreedBlock) {
  const auto write = [] {
    const std::vector<void*> b = allocate_many(3, 5000);
    free_all(b);
    static int elsewhere = 0;
    *static_cast<void**>(b[2]) = &elsewhere;
  };
  EXPECT_DEATH((write(), hs_purge()), "written to after it was freed");
  EXPECT_EXIT((write(), exit(0)), testing::KilledBySignal(SIGABRT),
              "written to after it was freed");
}

}  // namespace
}  // namespace heapsmith
