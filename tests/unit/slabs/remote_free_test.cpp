// Blocks that are freed by other threads than those that allocated them.
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "heapsmith/heap.h"
#include "support/heap_blocks.hpp"

namespace heapsmith {
namespace {

using test::slab_behind;

TEST(RemoteFree, BlocksFreedElsewhereComeHome) {
  const std::size_t n = slab_capacity(class_of(64));
  const std::vector<void*> b = test::allocate_many(3 * n + 1, 64);
  std::thread([&] {
    for (std::size_t i = 0; i < n; ++i) deallocate(b[i]);         // a whole slab
    for (std::size_t i = n; i < 2 * n; i += 2) deallocate(b[i]);  // half of one
  }).join();
  const std::size_t takes = spans::stats().takes;
  const std::vector<void*> again = test::allocate_many(n / 2, 64);
  test::free_all(again);
  EXPECT_LE(spans::stats().takes, takes + 1) << "blocks that came back serve before new slabs";
  for (std::size_t i = n + 1; i < 2 * n; i += 2) deallocate(b[i]);
  for (std::size_t i = 2 * n; i < b.size(); ++i) deallocate(b[i]);
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
  EXPECT_EQ(test::statistics().slab_bytes, 0u) << "every slab went back";
}

TEST(RemoteFree, BlocksFreedHereAndElsewhereAllComeBack) {
  const std::size_t n = slab_capacity(class_of(1000));
  std::vector<void*> b = test::allocate_many(n + 1, 1000);  // the first slab is full and left
  const std::set<void*> expected(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n));
  deallocate(b[0]);  // it is owned again, with one free block, when the others come
  std::thread([&] {
    for (std::size_t i = 1; i < n; ++i)
      if (i % 5 != 0) deallocate(b[i]);
  }).join();
  for (std::size_t i = 5; i < n; i += 5) deallocate(b[i]);
  std::set<void*> again;
  for (std::size_t i = 0; i < 3 * n; ++i) again.insert(allocate(1000));
  EXPECT_EQ(again.size(), 3 * n) << "no block twice";
  for (void* p : expected) EXPECT_EQ(again.count(p), 1u);
}

TEST(RemoteFree, KeepsBackAFewOfOthersBlocksOnly) {
  constexpr std::size_t bytes = 64;
  const std::vector<void*> blocks = test::allocate_many(8000, bytes);
  std::set<slab*> slabs;
  for (void* p : blocks) slabs.insert(slab_behind(p));
  std::thread([&] {
    void* mine = allocate(bytes);  // so the thread has a use for such blocks
    std::size_t freed = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (i % 100 != 0) deallocate(blocks[i]), ++freed;  // and no slab is wholly free
    std::size_t home = 0;
    for (const slab* s : slabs) home += s->remote.waiting();
    const std::size_t batch = class_table[class_of(bytes)].batch;
    EXPECT_LT(freed - home, (2 + outgoing_slots) * batch);
    deallocate(mine);
  }).join();
  for (std::size_t i = 0; i < blocks.size(); i += 100) deallocate(blocks[i]);
}

/// Allocates blocks until the thread has none ready: the next one is borrowed, if one is there.
void use_up_blocks(std::size_t bytes) {
  do allocate(bytes);
  while (t_heap->current[class_of(bytes)]->free != nullptr);
}

TEST(RemoteFree, ABorrowedBlockServesAgainAndAgain) {
  void* const b = allocate(64);
  std::thread([b] {
    use_up_blocks(64);
    for (int i = 0; i < 1000; ++i) {
      deallocate(b);  // and nothing was written to it meanwhile
      ASSERT_EQ(allocate(64), b) << i;
    }
  }).join();
}

TEST(RemoteFree, BorrowsNoLargeBlockOnTheSpanOfAnOldSlab) {
  use_up_blocks(64);
  void* old = nullptr;
  std::thread([&old] { deallocate(old = allocate(64)); }).join();
  void* const large = allocate(slice_bytes);
  ASSERT_EQ(large, old);
  deallocate(large);
  EXPECT_NE(test::kind_behind(large), slice_kind::large);
}

TEST(RemoteFree, BorrowsNoBlockOfAFirstClassHeap) {
  use_up_blocks(64);
  hs_heap* const heap = hs_heap_create();
  void* b = nullptr;
  std::thread([&] { b = hs_heap_malloc(heap, 64); }).join();
  deallocate(b);
  EXPECT_NE(allocate(64), b);
  hs_heap_destroy(heap);
}

TEST(RemoteFree, AnInterruptedThreadTouchesNoListOfItsOwn) {
  const std::vector<void*> b = test::allocate_many(2, 64);
  std::thread([&b] {
    use_up_blocks(64);
    deallocate(b[0]);
    t_heap->busy = true;
    deallocate(b[1]);
    EXPECT_EQ(slab_behind(b[1])->remote.waiting(), 1u);
    EXPECT_NE(allocate(64), b[0]);
    t_heap->busy = false;
    EXPECT_EQ(allocate(64), b[0]);
  }).join();
}

TEST(RemoteFree, ASlabInABinThatOthersEmptiedIsNoticed) {
  deallocate(allocate(16 * MiB));  // room, since growth looks at all bins
  const std::size_t n = slab_capacity(class_of(976));
  const std::vector<void*> b = test::allocate_many(n + 1, 976);
  deallocate(b[0]);  // the slab was full: now it lies in a bin
  ASSERT_EQ(t_heap->binned, 1u);
  std::thread([&] {
    for (std::size_t i = 1; i < n; ++i) deallocate(b[i]);
  }).join();
  test::allocate_many(60 * slab_capacity(class_of(1024)), 1024);  // searches for other slabs
  EXPECT_EQ(t_heap->binned, 0u);
}

// The other thread frees a twentieth at a time, in an order of its own.
TEST(RemoteFree, WhatOthersFreeAtRandomServesBeforeNewSlabs) {
  for (const std::size_t bytes : {48u, 592u, 8192u}) {
    const std::size_t n = 40 * slab_capacity(class_of(bytes));
    std::vector<void*> b = test::allocate_many(n, bytes);
    const std::size_t before = test::statistics().slab_bytes;
    std::mt19937 random(3);
    for (int round = 0; round < 40; ++round) {
      std::shuffle(b.begin(), b.end(), random);
      std::thread([&] { test::free_all({b.end() - n / 20, b.end()}); }).join();
      std::generate(b.end() - n / 20, b.end(), [=] { return allocate(bytes); });
    }
    EXPECT_LE(test::statistics().slab_bytes, before * 5 / 4 + 4 * slice_bytes) << bytes;
    test::free_all(b);
  }
}

TEST(RemoteFree, ASlabFreedWholeByAnotherThreadIsGivenBack) {
  const std::size_t n = slab_capacity(class_of(8192));  // a batch holds two such blocks
  const std::vector<void*> b = test::allocate_many(20 * n + 1, 8192);
  const std::size_t before = spans::stats().in_use_bytes;
  std::thread([&] {
    for (std::size_t i = 0; i < 20 * n; ++i) deallocate(b[i]);
  }).join();
  EXPECT_LT(spans::stats().in_use_bytes, before / 2) << "without the owner doing anything";
}

TEST(RemoteFree, BlocksAreHandedRoundInARing) {
  constexpr unsigned n = 4, rounds = 3000;
  struct cell {
    std::atomic<void*> block{nullptr};
    std::size_t bytes = 0;
    unsigned seed = 0;
  };
  cell cells[n];
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < n; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      cell &to = cells[(t + 1) % n], &from = cells[t];
      for (unsigned i = 0, came = 0; i < rounds || came < rounds;) {
        if (i < rounds && to.block.load(std::memory_order_acquire) == nullptr) {
          to.bytes = random() % (i % 50 == 0 ? 100'000 : 2000);
          to.seed = random();
          void* p = allocate(to.bytes);
          test::fill(p, to.bytes, to.seed);
          to.block.store(p, std::memory_order_release);
          ++i;
        }
        if (void* p = from.block.load(std::memory_order_acquire)) {
          EXPECT_TRUE(test::is_filled(p, from.bytes, from.seed));
          deallocate(p);
          from.block.store(nullptr, std::memory_order_release);
          ++came;
        } else {
          std::this_thread::yield();
        }
      }
    });
  for (std::thread& t : threads) t.join();
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

}  // namespace
}  // namespace heapsmith
