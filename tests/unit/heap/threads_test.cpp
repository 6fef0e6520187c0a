// Heaps and threads: first blocks, blocks that change threads, heaps that outlive theirs.
#include <pthread.h>

#include <atomic>
#include <set>
#include <thread>

#include "heap/blocks.hpp"

namespace heapsmith {
namespace {

using test::slab_behind;

/// Holds threads back until all have come, so that what follows happens at once.
class starting_line {
 public:
  explicit starting_line(int n) : missing_(n) {}
  void wait() {
    missing_.fetch_sub(1);
    while (missing_.load() > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> missing_;
};

std::size_t heaps_made() {
  return test::statistics().heaps;
}

TEST(Threads, FirstCallsMayCoincide) {
  constexpr int n = 6;
  starting_line line(n);
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t)
    threads.emplace_back([&, t] {
      line.wait();
      if (t == 0) deallocate(nullptr);  // reads what the others are making
      void* p = allocate(100);
      ASSERT_NE(p, nullptr);
      test::fill(p, 100, static_cast<unsigned>(t));
      EXPECT_EQ(slab_behind(p)->owner.load(), os::thread_token());
      deallocate(p);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_LE(heaps_made(), std::size_t{n});
}

TEST(Threads, HeapsAreAdoptedNotMade) {
  for (int i = 0; i < 100; ++i)
    std::thread([] {
      std::vector<void*> b = test::allocate_many(100, 200);
      test::free_all(b);
    }).join();
  EXPECT_EQ(heaps_made(), 1u);
}

TEST(Threads, EndedOnesLeaveTheirBlocksValid) {
  std::vector<char*> blocks;
  std::thread([&] {
    for (unsigned i = 0; i < 1000; ++i) {
      blocks.push_back(static_cast<char*>(allocate(i)));
      test::fill(blocks.back(), i, i);
    }
  }).join();
  for (unsigned i = 0; i < 1000; ++i) {
    ASSERT_TRUE(test::is_filled(blocks[i], i, i));
    ASSERT_GE(usable_bytes(blocks[i]), i);
    deallocate(blocks[i]);
  }
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Threads, AnEndedOnesPartlyFreeSlabsServeOthersBeforeGrowth) {
  std::vector<void*> kept;
  std::thread([&] {  // leaves slabs with one block each in use
    const std::size_t n = slab_capacity(class_of(4096));
    const std::vector<void*> b = test::allocate_many(6 * n, 4096);
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (i % n == 0)
        kept.push_back(b[i]);
      else
        deallocate(b[i]);
    }
  })
      .join();
  while (spans::take(1, 1, spans::growth::forbidden)) {  // nothing is left but these slabs
  }
  starting_line line(2);
  std::thread rival([&] {  // adopts the ended thread's heap, so that this one must claim from it
    line.wait();
  });
  const std::size_t committed = spans::count().committed_bytes;
  const std::vector<void*> b = test::allocate_many(5 * (slab_capacity(class_of(4096)) - 1), 4096);
  EXPECT_EQ(spans::count().committed_bytes, committed);
  line.wait();
  rival.join();
  test::free_all(b);
  test::free_all(kept);
}

TEST(Threads, BlocksFreedElsewhereComeHome) {
  const std::size_t n = slab_capacity(class_of(64));
  const std::vector<void*> b = test::allocate_many(3 * n + 1, 64);
  std::thread([&] {
    for (std::size_t i = 0; i < n; ++i) deallocate(b[i]);         // a whole slab
    for (std::size_t i = n; i < 2 * n; i += 2) deallocate(b[i]);  // half of one
  }).join();
  const std::size_t takes = spans::count().takes;
  const std::vector<void*> again = test::allocate_many(n / 2, 64);
  test::free_all(again);
  EXPECT_LE(spans::count().takes, takes + 1) << "blocks that came back serve before new slabs";
  for (std::size_t i = n + 1; i < 2 * n; i += 2) deallocate(b[i]);
  for (std::size_t i = 2 * n; i < b.size(); ++i) deallocate(b[i]);
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
  EXPECT_EQ(test::statistics().slab_bytes, 0u) << "every slab went back";
}

TEST(Threads, BlocksFreedHereAndElsewhereAllComeBack) {
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

TEST(Threads, ASlabFreedWholeByAnotherThreadIsGivenBack) {
  const std::size_t n = slab_capacity(class_of(8192));  // a batch holds two such blocks
  const std::vector<void*> b = test::allocate_many(20 * n + 1, 8192);
  const std::size_t before = spans::count().in_use_bytes;
  std::thread([&] {
    for (std::size_t i = 0; i < 20 * n; ++i) deallocate(b[i]);
  }).join();
  EXPECT_LT(spans::count().in_use_bytes, before / 2) << "without the owner doing anything";
}

TEST(Threads, BlocksAreHandedRoundInARing) {
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

pthread_key_t late_key;

TEST(Threads, LateDestructorsMayAllocateAndFree) {
  // The key is made after ours, and re-arms itself: its destructor runs in every round.
  deallocate(allocate(1));
  static std::atomic<int> rounds{0};
  ASSERT_EQ(pthread_key_create(&late_key,
                               [](void* p) {
                                 EXPECT_TRUE(test::is_filled(p, 500, 9));
                                 deallocate(p);
                                 void* q = allocate(500);
                                 test::fill(q, 500, 9);
                                 if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
                                   pthread_setspecific(late_key, q);
                                 else
                                   deallocate(q);
                               }),
            0);
  std::thread([] {
    void* p = allocate(500);
    test::fill(p, 500, 9);
    pthread_setspecific(late_key, p);
  }).join();
  EXPECT_EQ(rounds.load(), PTHREAD_DESTRUCTOR_ITERATIONS);
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Threads, WithoutAHeapTheyAreServedByTheSharedOne) {
  std::thread([] {
    t_phase = thread_phase::exited;  // as after the last round of destructors
    std::vector<void*> b = test::allocate_many(300, 100);
    for (void* p : b) {
      ASSERT_NE(p, nullptr);
      test::fill(p, 100, 4);
    }
    EXPECT_EQ(t_heap, &empty_heap);
    void* large = allocate(MiB);
    ASSERT_NE(large, nullptr);
    b.push_back(reallocate(large, 2 * MiB));
    b.push_back(allocate_zeroed(5000));
    EXPECT_NE(slab_behind(b[0])->owner.load(), os::thread_token());
    test::free_all(b);
  }).join();
}

TEST(Threads, ManyComeAndGo) {
  std::atomic<void*> left{nullptr};
  for (int i = 0; i < 400; ++i)
    std::thread([&] {
      void* mine = allocate(64);
      deallocate(left.exchange(mine));  // the block of a thread that has ended
    }).join();
  deallocate(left.load());
  EXPECT_LE(heaps_made(), 2u);
}

}  // namespace
}  // namespace heapsmith
