// Children that no fork handler prepared: when they notice, and what they keep.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/heap_blocks.hpp"
#include "threads/all_heaps.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

std::size_t frozen_heaps() {
  std::size_t n = 0;
  for (const thread_heap* h = all_heaps.load(); h != nullptr; h = h->next) n += h->frozen.load();
  return n;
}

/// A thread with a heap, which children do not have.
class vanishing_thread {
 public:
  vanishing_thread() {
    while (!has_heap_.load()) std::this_thread::yield();
  }
  ~vanishing_thread() {
    done_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> has_heap_{false}, done_{false};
  std::thread thread_{[this] {
    deallocate(allocate(100));
    has_heap_.store(true);
    while (!done_.load()) usleep(100);
  }};
};

/// Runs `body` in a child made by _Fork; true when it says so there.
template <class Body>
bool holds_in_unannounced_child(Body body) {
  const pid_t child = _Fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(UnannouncedFork, IsNoticedByLargeBlocks) {
  void* small = allocate(100);
  void* inherited = allocate(2 * MiB);
  void* mapped = allocate(40 * MiB);
  const vanishing_thread other;
  EXPECT_TRUE(holds_in_unannounced_child([&] {
    deallocate(small);  // the fast path does not look
    return frozen_heaps() == 0;
  }));
  EXPECT_TRUE(holds_in_unannounced_child([] { return allocate(MiB) && frozen_heaps() == 1; }));
  EXPECT_TRUE(
      holds_in_unannounced_child([] { return allocate_zeroed(MiB) && frozen_heaps() == 1; }));
  EXPECT_TRUE(
      holds_in_unannounced_child([&] { return deallocate(inherited), frozen_heaps() == 1; }));
  EXPECT_TRUE(holds_in_unannounced_child(
      [&] { return reallocate(inherited, MiB / 2) && frozen_heaps() == 1; }));
  EXPECT_TRUE(holds_in_unannounced_child([&] { return deallocate(mapped), frozen_heaps() == 1; }));
}

TEST(UnannouncedFork, LeavesTheChildsOwnThreadsTheirSlabs) {
  void* small = allocate(100);
  const vanishing_thread other;
  EXPECT_TRUE(holds_in_unannounced_child([&] {
    deallocate(small);  // nothing that the forking thread does is slow
    std::atomic<int> step{0};
    bool kept = false;
    std::thread thread([&] {
      void* p = allocate(100);
      step.store(1);
      while (step.load() == 1) std::this_thread::yield();
      kept = test::slab_behind(p)->owner.load() == os::thread_token();
      deallocate(p);
      deallocate(allocate(MiB));
      kept = kept && !t_heap->frozen.load();
    });
    while (step.load() != 1) std::this_thread::yield();
    deallocate(allocate(9000));  // slow
    const bool mine_is_whole = !t_heap->frozen.load() && frozen_heaps() == 1;
    step.store(2);
    thread.join();
    return kept && mine_is_whole;
  }));
}

}  // namespace
}  // namespace heapsmith
