// The futex lock: exclusion, sleeping, its owner, and its new life in a forked child.
#include "os/lock.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <thread>
#include <vector>

#include "support/child.hpp"

namespace heapsmith::os {
namespace {

TEST(Lock, ExcludesThreads) {
  lock l;
  long counter = 0;  // plain: only the lock orders its changes
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const lock_guard guard(l);
        ++counter;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counter, 6 * 20'000);
}

TEST(Lock, KnowsItsOwner) {
  lock l;
  EXPECT_FALSE(l.held_here());
  l.acquire();
  EXPECT_TRUE(l.held_here());
  std::thread([&] { EXPECT_FALSE(l.held_here()); }).join();
  l.release();
  EXPECT_FALSE(l.held_here());
}

TEST(Lock, IsTakenAtOnceOrNotAtAll) {
  lock l;
  ASSERT_TRUE(l.try_acquire());
  EXPECT_TRUE(l.held_here());
  EXPECT_FALSE(l.try_acquire());
  std::thread([&] { EXPECT_FALSE(l.try_acquire()); }).join();
  l.release();
  EXPECT_TRUE(l.try_acquire());
  l.release();
}

TEST(Lock, CountsTheLocksThatThisThreadWants) {
  lock l;
  EXPECT_EQ(locks_wanted, 0u);
  l.acquire();
  EXPECT_EQ(locks_wanted, 1u);
  EXPECT_FALSE(l.try_acquire());
  EXPECT_EQ(locks_wanted, 1u);
  l.release();
  EXPECT_EQ(locks_wanted, 0u);
  ASSERT_TRUE(l.try_acquire());
  EXPECT_EQ(locks_wanted, 1u);
  l.release();
  EXPECT_EQ(locks_wanted, 0u);
}

TEST(Lock, WaitersSleepAndAreWoken) {
  lock l;
  l.acquire();
  std::vector<std::thread> waiters;
  atomic<long> spent_ns{0};
  atomic<int> through{0};
  for (int t = 0; t < 3; ++t)
    waiters.emplace_back([&] {
      struct timespec cpu;
      const lock_guard guard(l);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
      spent_ns.fetch_add(cpu.tv_sec * 1'000'000'000 + cpu.tv_nsec, relaxed);
      through.fetch_add(1, relaxed);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(through.load(relaxed), 0);
  l.release();
  for (std::thread& t : waiters) t.join();
  EXPECT_EQ(through.load(relaxed), 3);
  // A spinning waiter would have burnt most of the 300 ms.
  EXPECT_LT(spent_ns.load(relaxed), 3 * 60'000'000L);
}

TEST(Lock, IsFreeAgainInAChildAfterReset) {
  lock l;
  l.acquire();
  EXPECT_EQ(test::in_child([&] {
              l.reset_in_child();
              if (l.held_here()) return false;
              const lock_guard guard(l);
              return l.held_here();
            }),
            0);
  EXPECT_TRUE(l.held_here());
  l.release();
}

}  // namespace
}  // namespace heapsmith::os
