// How much a thread may cache, as sums: what it earns, what limits it, what it takes at once.
#include "slabs/thread_cache.hpp"

#include <gtest/gtest.h>

namespace heapsmith {
namespace {

constexpr std::size_t a = class_of(8192), b = class_of(4096);
constexpr std::uint32_t bytes_of_a = 8192;
constexpr std::int64_t step = cache_budget::step;

/// So much without evidence.
constexpr std::int64_t least_of(std::int64_t share) {
  return std::min(step, share) / 2;
}

/// A thread that takes so many blocks of class `a`, one after the other, and uses them.
cache_budget with_blocks(std::uint32_t n, std::int64_t share) {
  cache_budget budget;
  while (n != 0) {
    const std::uint32_t taken = std::min(budget.blocks_to_take(a, share), n);
    budget.note_taken(a, taken);
    for (std::uint32_t i = 1; i < taken; ++i) budget.note_allocated(bytes_of_a);
    n -= taken;
  }
  return budget;
}

/// It returns a block of class `c` and takes it again.
void return_and_take(cache_budget& budget, std::size_t c, std::int64_t share) {
  budget.note_freed(class_table[c].bytes);
  budget.note_returned(c, 1);
  budget.blocks_to_take(c, share);
  budget.note_taken(c, 1);
}

TEST(CacheBudget, AllowsNothingToAThreadThatTookNothing) {
  EXPECT_FALSE(cache_budget{}.has_room(1));
  EXPECT_EQ(cache_budget{}.cached(), 0);
}

TEST(CacheBudget, AllowsLittleWithoutEvidence) {
  cache_budget budget = with_blocks(100, 8 * MiB);
  EXPECT_EQ(budget.room(), least_of(8 * MiB));
  EXPECT_EQ(budget.cached(), 0);
  budget.note_freed(bytes_of_a);
  EXPECT_EQ(budget.cached(), bytes_of_a);
}

TEST(CacheBudget, AllowsAStepMoreForAClassThatIsNeededAgain) {
  cache_budget budget = with_blocks(100, 8 * MiB);
  return_and_take(budget, a, 8 * MiB);
  EXPECT_EQ(budget.room(), least_of(8 * MiB) + step);
  budget.note_freed(bytes_of_a);
  budget.note_returned(a, 1);
  budget.blocks_to_take(b, 8 * MiB);
  EXPECT_EQ(budget.room(), least_of(8 * MiB) + step) << "another class proves nothing";
}

TEST(CacheBudget, AllowsAtMostWhatIsInUseOrTheShare) {
  for (const std::int64_t share : {0 * step, 3 * step, 1000 * step}) {
    cache_budget budget = with_blocks(20, share);
    for (int i = 0; i < 500; ++i) return_and_take(budget, a, share);
    const std::int64_t most = std::max<std::int64_t>(share, 19 * bytes_of_a);  // it returned one
    EXPECT_EQ(budget.room(), least_of(share) + std::min(most, 500 * step)) << share;
  }
}

TEST(CacheBudget, FollowsWhatIsInUse) {
  cache_budget budget = with_blocks(100, 0);
  for (int i = 0; i < 500; ++i) return_and_take(budget, a, 0);
  EXPECT_EQ(budget.room(), 99 * bytes_of_a);
  for (int i = 0; i < 60; ++i) budget.note_freed(bytes_of_a);
  EXPECT_GT(budget.room_to_make(0, 0), 0) << "40 are in use, 60 are cached";
  budget.note_returned(a, 30);
  EXPECT_EQ(budget.room_to_make(0, 0), 0);
}

TEST(CacheBudget, TakesMoreAtOnceTheMoreTheThreadHas) {
  cache_budget budget = with_blocks(3, 0);
  EXPECT_EQ(budget.blocks_to_take(a, 0), 1u);
  budget = with_blocks(1000, 0);
  EXPECT_EQ(budget.blocks_to_take(a, 0), 1 + step / bytes_of_a);
}

TEST(CacheBudget, ForgetsEvidenceAndKeepsTheCount) {
  cache_budget budget = with_blocks(100, 0);
  for (int i = 0; i < 500; ++i) return_and_take(budget, a, 0);
  budget.forget();
  EXPECT_FALSE(budget.has_room(1));
  budget.blocks_to_take(a, 0);
  EXPECT_EQ(budget.room(), 0);
  for (int i = 0; i < 500; ++i) return_and_take(budget, a, 0);
  EXPECT_EQ(budget.room(), 99 * bytes_of_a);
}

}  // namespace
}  // namespace heapsmith
