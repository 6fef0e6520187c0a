// Shared regions between containers: processes whose threads have the same numbers.
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "region/shared_pair.hpp"
#include "support/pid_namespace.hpp"

namespace heapsmith {
namespace {

using test::mapping;
using test::MiB;

void sleep_ms(long ms) {
  const timespec t = {0, ms * 1'000'000};
  nanosleep(&t, nullptr);
}

class SharedNamespaces : public test::SharedPair {
 protected:
  /// Data of the test itself, which its processes share.
  struct notes {
    std::atomic<int> inside;   // the holder is within the lock: 1; it has left it: 2
    std::atomic<bool> leaves;  // it is told to
    std::atomic<int> began;    // processes that are about to take the lock
  };

  void SetUp() override {
    test::SharedPair::SetUp();
    if (!namespaces_.is_permitted()) GTEST_SKIP() << "PID namespaces are not permitted here";
  }

  template <class Body>
  pid_t start_first(Body body) {
    const pid_t child = namespaces_.fork_first();
    if (child == 0) {
      const mapping mine(memory_);
      shared_region r;
      ++notes_->began;
      if (getpid() != 1 || r.attach(mine.at(), mine.bytes()) != 0) _exit(1);
      _exit(body(r));
    }
    EXPECT_GT(child, 0);
    return child;
  }

  static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  /// Starts a first process that holds the lock until it is told to leave.
  pid_t start_holder() {
    notes_->inside = 0;
    notes_->leaves = false;
    const pid_t holder = start_first([&](const shared_region& r) {
      bool is_first = true;
      r.for_each_block([&](const hs_region_block&) {
        if (!is_first) return;
        is_first = false;
        notes_->inside = 1;
        while (!notes_->leaves) sleep_ms(1);
        notes_->inside = 2;
      });
      return is_first ? 2 : 0;
    });
    while (notes_->inside == 0) sleep_ms(1);
    return holder;
  }

  test::pid_namespace namespaces_;
  test::shared_memory paper_{4096};
  mapping desk_{paper_};
  notes* notes_ = new (desk_.at()) notes{};
};

TEST_F(SharedNamespaces, NoCallIsRefused) {
  std::vector<pid_t> children;
  for (unsigned k = 0; k < 3; ++k)
    children.push_back(start_first([&](const shared_region& r) {
      for (unsigned i = 0; i < 20'000; ++i) {
        auto* p = static_cast<unsigned char*>(r.try_allocate(64 + i % 100));
        if (p == nullptr) return 2;
        std::memset(p, static_cast<int>(k), 64);
        p = static_cast<unsigned char*>(hs_shared_region_realloc(r.native(), p, 300));
        if (p == nullptr || p[63] != k) return 3;
        if (r.try_deallocate(p) != 0) return 4;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(region_.stats().in_use_bytes, 0u) << "a free was lost";
  EXPECT_EQ(region_.recoveries(), 0u);
}

TEST_F(SharedNamespaces, TheLockStaysWithItsHolderWhenAWaiterDies) {
  static_cast<void>(region_.allocate(100));
  const pid_t holder = start_holder();
  for (int n = 1; n <= 10; ++n) {
    notes_->began = 0;
    const pid_t waiter = start_first([](const shared_region&) { return 5; });  // it got the lock
    while (notes_->began == 0) sleep_ms(1);
    sleep_ms(3 * n);
    kill(waiter, SIGKILL);
    const int status = status_of(waiter);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }
  const pid_t last = start_first([&](const shared_region& r) {
    if (r.try_allocate(10) == nullptr) return 6;
    return notes_->inside == 2 ? 0 : 7;
  });
  sleep_ms(50);
  EXPECT_EQ(notes_->inside, 1);
  notes_->leaves = true;
  EXPECT_EQ(status_of(holder), 0);
  EXPECT_EQ(status_of(last), 0) << "7: it got the lock while another process held it";
  EXPECT_EQ(region_.recoveries(), 0u);
}

TEST_F(SharedNamespaces, TheDeathOfTheHolderIsNoticed) {
  void* const p = region_.allocate(100);
  for (std::uint64_t n = 1; n <= 5; ++n) {
    const pid_t holder = start_holder();
    kill(holder, SIGKILL);
    const pid_t heir =
        start_first([&](const shared_region& r) { return r.try_allocate(10) == nullptr; });
    EXPECT_EQ(status_of(heir), 0);
    EXPECT_TRUE(WIFSIGNALED(status_of(holder)));
    EXPECT_EQ(other_.recoveries(), n);
  }
  EXPECT_EQ(other_.try_deallocate(other_.from_offset(region_.to_offset(p))), 0);
}

TEST_F(SharedNamespaces, MoreThreadsWaitThanTheLockHasSlots) {
  static_cast<void>(region_.allocate(100));
  const pid_t holder = start_holder();
  std::vector<pid_t> waiters;
  notes_->began = 0;
  for (int k = 0; k < 40; ++k)
    waiters.push_back(start_first([&](const shared_region& r) {
      void* const p = r.try_allocate(10);
      return p == nullptr || r.try_deallocate(p) != 0;
    }));
  while (notes_->began < 40) sleep_ms(1);
  for (std::size_t k = 0; k < 40; k += 4) kill(waiters[k], SIGKILL);
  sleep_ms(20);
  notes_->leaves = true;
  for (std::size_t k = 0; k < 40; ++k) {
    const int status = status_of(waiters[k]);
    EXPECT_TRUE(k % 4 == 0 ? WIFSIGNALED(status) : status == 0) << k << ": " << status;
  }
  EXPECT_EQ(status_of(holder), 0);
  EXPECT_EQ(region_.recoveries(), 0u);
}

TEST_F(SharedNamespaces, AProcessThatAVisitorForksDoesNotHoldTheLock) {
  static_cast<void>(region_.allocate(100));
  pid_t child = -1;
  region_.for_each_block([&](const hs_region_block&) {
    if (child > 0) return;
    child = fork();
    if (child == 0) _exit(other_.try_allocate(1) != nullptr && notes_->inside == 2 ? 0 : 9);
    sleep_ms(50);
    notes_->inside = 2;
  });
  EXPECT_EQ(status_of(child), 0);
  // The child of a visitor that returns leaves the lock to its parent.
  notes_->inside = 0;
  region_.for_each_block([&](const hs_region_block&) {
    if (child <= 0) return;
    child = -fork();
    if (child == 0) return;  // into a call that the parent has begun
    EXPECT_EQ(status_of(-child), 0);
    EXPECT_EQ(region_.try_allocate(1), nullptr) << "the parent holds the lock still";
  });
  if (child == 0) _exit(0);
  EXPECT_EQ(region_.recoveries(), 0u);
}

}  // namespace
}  // namespace heapsmith
