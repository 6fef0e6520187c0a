// Walks over a few of many heaps.
#include "threads/all_heaps.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace heapsmith {
namespace {

class NextHeaps : public testing::Test {
 protected:
  void list(std::size_t count) {
    heaps_ = std::vector<thread_heap>(count);
    for (thread_heap& h : heaps_) {
      h.next = all_.load(relaxed);
      all_.store(&h, relaxed);
    }
  }

  /// The heaps that one call visits.
  std::vector<thread_heap*> visited() {
    std::vector<thread_heap*> seen;
    EXPECT_FALSE(any_of_next_heaps(all_, next_, [&](thread_heap& h) {
      seen.push_back(&h);
      return false;
    }));
    return seen;
  }

  std::vector<thread_heap> heaps_;
  atomic<thread_heap*> all_{nullptr};
  thread_heap* next_ = nullptr;
};

TEST_F(NextHeaps, AreAFewEachTimeAndAllInTheEnd) {
  list(2 * heaps_asked + 8);
  std::set<thread_heap*> seen;
  for (int call = 0; call < 3; ++call) {
    const std::vector<thread_heap*> some = visited();
    EXPECT_EQ(some.size(), heaps_asked);
    seen.insert(some.begin(), some.end());
  }
  EXPECT_EQ(seen.size(), heaps_.size());
}

TEST_F(NextHeaps, AreEachVisitedOnceIfTheyAreFew) {
  for (const std::size_t count : {0u, 1u, 5u}) {
    all_.store(nullptr, relaxed);
    next_ = nullptr;
    list(count);
    for (int call = 0; call < 3; ++call) {
      const std::vector<thread_heap*> some = visited();
      EXPECT_EQ(some.size(), count);
      EXPECT_EQ(std::set<thread_heap*>(some.begin(), some.end()).size(), count);
    }
  }
}

TEST_F(NextHeaps, BeginAfterTheOneThatWasFoundAndLeaveOutFrozenOnes) {
  list(5);
  thread_heap* const second = all_.load(relaxed)->next;
  EXPECT_TRUE(any_of_next_heaps(all_, next_, [&](thread_heap& h) { return &h == second; }));
  second->next->frozen.store(true, relaxed);
  const std::vector<thread_heap*> rest = visited();
  ASSERT_EQ(rest.size(), 4u);
  EXPECT_EQ(rest.front(), second->next->next);
  EXPECT_EQ(rest.back(), second);
}

}  // namespace
}  // namespace heapsmith
