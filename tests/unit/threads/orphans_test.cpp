// Heaps without a thread: which of them a new thread adopts.
#include "threads/orphans.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "support/heap_blocks.hpp"

namespace heapsmith {
namespace {

/// The heap of a new thread that does `first` before all else, and is done then.
thread_heap* heap_of_a_thread(const std::function<void()>& first) {
  thread_heap* h = nullptr;
  std::thread([&] {
    first();
    h = t_heap;
  }).join();
  return h;
}

/// A thread with a heap of its own and a block in it, until end() is called.
class predecessor {
 public:
  predecessor() {
    while (block_.load() == nullptr) std::this_thread::yield();
  }
  ~predecessor() { end(); }
  void end() {
    if (!thread_.joinable()) return;
    may_end_.store(true);
    thread_.join();
  }
  void* block() const { return block_.load(); }
  thread_heap* heap() const { return heap_.load(); }

 private:
  std::atomic<void*> block_{nullptr};
  std::atomic<thread_heap*> heap_{nullptr};
  std::atomic<bool> may_end_{false};
  std::thread thread_{[this] {
    void* p = allocate(100);
    heap_.store(t_heap);
    block_.store(p);
    while (!may_end_.load()) usleep(100);
  }};
};

/// Three heaps, made by threads that end in the order of their numbers.
class Orphans : public testing::Test {
 protected:
  void end_all() {
    for (predecessor& each : past_) each.end();
  }
  thread_heap* heap(int i) const { return past_[i].heap(); }
  void free_block(int i) { deallocate(past_[i].block()); }

  predecessor past_[3];
};

TEST_F(Orphans, AreAdoptedByTheThreadThatFirstFreesTheirBlocks) {
  end_all();
  for (int i : {1, 0, 2})
    EXPECT_EQ(heap_of_a_thread([&] { free_block(i); }), heap(i)) << "heap " << i;
}

TEST_F(Orphans, ServeTheLastEndedFirst) {
  end_all();
  EXPECT_EQ(heap_of_a_thread([] { deallocate(allocate(100)); }), heap(2));
}

TEST_F(Orphans, OneIsAdoptedIfTheWantedHeapHasAThread) {
  past_[0].end();
  past_[1].end();
  EXPECT_EQ(heap_of_a_thread([&] { free_block(2); }), heap(0));
}

TEST_F(Orphans, AreAdoptedOnlyOnce) {
  end_all();
  void* block = nullptr;
  std::thread([&] {
    free_block(1);  // adopts heap 1
    block = allocate(100);
    thread_heap* const later = heap_of_a_thread([&] { deallocate(block); });
    EXPECT_EQ(t_heap, heap(1));
    EXPECT_EQ(later, heap(0)) << "the oldest of the others";
  }).join();
}

TEST_F(Orphans, AThreadThatFindsNoOrphanMakesAHeap) {
  thread_heap* const h = heap_of_a_thread([&] { free_block(2); });
  for (int i = 0; i < 3; ++i) EXPECT_NE(h, heap(i));
}

TEST_F(Orphans, AreAllFoundAgainAfterAnUnfinishedChange) {
  end_all();
  heap(0)->newer = heap(2);  // as a thread leaves them that vanishes while it takes heap 1 out
  heap(1)->is_orphan = false;
  relink_orphans();
  EXPECT_EQ(adopt_orphan(nullptr), heap(0));  // all_heaps has the youngest heap first
  EXPECT_EQ(adopt_orphan(nullptr), heap(2));
  EXPECT_EQ(adopt_orphan(nullptr), nullptr);
}

TEST_F(Orphans, ServeTheThreadsOfAForkedChild) {
  end_all();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    bool right = heap_of_a_thread([&] { free_block(1); }) == heap(1);
    right = right && heap_of_a_thread([&] { free_block(0); }) == heap(0);
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace heapsmith
