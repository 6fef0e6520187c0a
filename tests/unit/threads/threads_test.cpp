// Heaps and threads: first blocks, and heaps that outlive their threads.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "support/heap_blocks.hpp"

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

TEST(Threads, NewThreadsAdoptHeapsOfEndedThreads) {
  for (int i = 0; i < 100; ++i)
    std::thread([] {
      std::vector<void*> b = test::allocate_many(100, 200);
      test::free_all(b);
    }).join();
  EXPECT_EQ(heaps_made(), 1u);
}

TEST(Threads, EndedThreadsLeaveTheirBlocksValid) {
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

TEST(Threads, PartlyFreeSlabsOfEndedThreadsServeOthersBeforeGrowth) {
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
  const std::size_t committed = spans::stats().committed_bytes;
  const std::vector<void*> b = test::allocate_many(5 * (slab_capacity(class_of(4096)) - 1), 4096);
  EXPECT_EQ(spans::stats().committed_bytes, committed);
  line.wait();
  rival.join();
  test::free_all(b);
  test::free_all(kept);
}

pthread_key_t late_key;

#ifdef HEAPSMITH_UNDER_TSAN  // which fails in the last round at an atomic that is new to it
constexpr int late_rounds = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
#else
constexpr int late_rounds = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif

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
                                 if (++rounds < late_rounds)
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
  EXPECT_EQ(rounds.load(), late_rounds);
  hs_purge();
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Threads, ThreadsWithoutAHeapUseTheSharedHeap) {
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

TEST(Threads, ManyThreadsComeAndGo) {
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
