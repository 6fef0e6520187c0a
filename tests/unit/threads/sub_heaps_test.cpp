// First-class heaps and threads: who may free, what a thread leaves, and what a forked child finds.
#include <atomic>
#include <memory>
#include <thread>

#include "support/child.hpp"
#include "support/first_class.hpp"

namespace heapsmith {
namespace {

using test::allocate_many_in;
using test::behind;
using test::fill;
using test::heap_of;
using test::in_thread;
using test::is_filled;
using test::slab_behind;

// The documentation of heap.h and of the crate names the size.
TEST(FirstClassHeap, ASubHeapTakesElevenKiB) {
  EXPECT_NEAR(sizeof(thread_heap), 11 << 10, 512);
}

TEST(FirstClassHeap, BlocksFreedElsewhereComeBack) {
  heap h;
  std::vector<void*> blocks = allocate_many_in(h, 4000, 100);
  in_thread([&] {
    for (void* p : blocks) hs_free(p);
  });
  hs_purge();  // this thread takes its own back; the other one sent all when it ended
  EXPECT_EQ(h.stats().in_use_bytes, 0u);
  EXPECT_EQ(h.stats().held_bytes, 0u);
}

/// Blocks of a heap that another thread gathers must not outlive the heap nor enter another.
TEST(FirstClassHeap, EndsWhileAThreadHoldsFreedBlocksOfIt) {
  std::atomic<int> step{0};
  auto h = std::make_unique<heap>();
  std::vector<void*> blocks = allocate_many_in(*h, 500, 100);
  std::thread other([&] {
    void* mine = allocate(100);  // a current slab of the class: blocks could be borrowed
    for (std::size_t i = 0; i < 50; ++i) deallocate(blocks[i]);  // less than a batch
    step = 1;
    while (step != 2) std::this_thread::yield();
    std::vector<void*> after = test::allocate_many(2000, 100);
    for (void* p : after) EXPECT_EQ(test::account_behind(p), nullptr);
    test::free_all(after);
    deallocate(mine);
    hs_purge();  // sends what it has
  });
  while (step != 1) std::this_thread::yield();
  h.reset();
  std::vector<void*> next = test::allocate_many(2000, 100);  // on the same slices
  for (void* p : next) fill(p, 100, 3);
  step = 2;
  other.join();
  for (void* p : next) EXPECT_TRUE(is_filled(p, 100, 3));
  test::free_all(next);
}

TEST(FirstClassHeap, AThreadThatEndsLeavesItsSubHeap) {
  heap h;
  std::vector<char*> blocks;
  for (unsigned t = 0; t < 20; ++t)
    in_thread([&] {
      for (unsigned i = 0; i < 300; ++i) {
        auto* p = static_cast<char*>(h.allocate(100));
        fill(p, 100, t);
        if (i % 3 == 0)
          blocks.push_back(p);
        else
          h.deallocate(p);
      }
    });
  std::size_t subs = 0;
  for (thread_heap* s = behind(h)->subs.load(); s != nullptr; s = s->next) ++subs;
  EXPECT_EQ(subs, 1u);  // adopted each time
  EXPECT_LE(h.stats().held_bytes, 6 * slice_bytes);
  for (unsigned i = 0; i < blocks.size(); ++i) {
    EXPECT_TRUE(is_filled(blocks[i], 100, i / 100));
    h.deallocate(blocks[i]);
  }
}

TEST(FirstClassHeap, ServesThreadsPastTheirEnd) {
  heap h;
  std::vector<void*> blocks;
  in_thread([&] {
    t_phase = thread_phase::exited;  // as after the last round of destructors
    for (unsigned i = 0; i < 2000; ++i) {
      void* p = h.allocate(100);
      EXPECT_EQ(heap_of(p), behind(h));
      fill(p, 100, 5);
      if (i % 2 == 0)
        h.deallocate(p);
      else
        blocks.push_back(p);
    }
    EXPECT_EQ(t_heap, &empty_heap);
  });
  EXPECT_EQ(h.stats().in_use_bytes, 1000 * hs_good_size(100));
  for (void* p : blocks) {
    EXPECT_TRUE(is_filled(p, 100, 5));
    h.deallocate(p);
  }
  EXPECT_EQ(h.stats().in_use_bytes, 0u);
}

TEST(FirstClassHeap, OutlivesAFork) {
  heap h;
  std::atomic<bool> over{false};
  std::atomic<void*> theirs{nullptr};
  void* mine = h.allocate(100);
  std::thread other([&] {
    theirs = h.allocate(100);
    while (!over) h.deallocate(h.allocate(100));
  });
  while (theirs.load() == nullptr) std::this_thread::yield();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(test::in_child([&] {
                h.deallocate(mine);
                hs_free(theirs);
                bool good = true;
                for (int n = 0; n < 3000; ++n) good &= heap_of(h.allocate(100)) == behind(h);
                h.reset();
                good &= h.stats().held_bytes == 0;
                good &= heap_of(h.allocate(100)) == behind(h);
                const heap another;
                return good;
              }),
              0);
  over = true;
  other.join();
}

}  // namespace
}  // namespace heapsmith
