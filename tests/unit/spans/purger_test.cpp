// The purger's looks, and memory that is prefaulted.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "spans/purger.hpp"
#include "spans/settings.hpp"
#include "spans/spans.hpp"
#include "spans/state.hpp"
#include "spans/taken.hpp"
#include "support/pages.hpp"

namespace heapsmith::spans {
namespace {

using test::resident_bytes;

TEST(Purger, ReleasesWhatNobodyNeedsAFewSlicesAtATime) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  const std::vector<span> live = take_many(20, 16);
  give(take_touched(600).first);
  EXPECT_GT(look_for_unused(), 1u) << "the first look begins a purge delay";
  EXPECT_EQ(stats().cached_bytes, 600 * slice_bytes);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  for (const std::size_t left : {344, 88}) {
    EXPECT_EQ(look_for_unused(), 1u) << "others get the lock meanwhile";
    EXPECT_EQ(stats().cached_bytes, left * slice_bytes);
  }
  EXPECT_GT(look_for_unused(), 1u);
  EXPECT_EQ(stats().cached_bytes, 0u);
  EXPECT_EQ(stats().purges, 1u);
  EXPECT_EQ(look_for_unused(), 0u) << "it falls asleep";
}

TEST(Purger, FindsNothingAndSpendsNoCredit) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> taken = take_many(40, 16);
  all.policy.fall(1, 0, 1000, [] { return os::now_ms(); });  // it reads the clock for its credit
  give(take_touched(1).first);
  for (int i = 0; i < 20; ++i) look_for_unused();
  give_many(taken, 0, 1);
  EXPECT_EQ(stats().purges, 1u) << "its looks were no mistakes";
}

TEST(Purger, LeavesWhatIsNeededMeanwhile) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  const std::vector<span> live = take_many(20, 16);
  give(take_touched(600).first);
  look_for_unused();
  give(take(550, 1, growth::forbidden).first);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_GT(look_for_unused(), 1u);
  EXPECT_EQ(stats().cached_bytes, 550 * slice_bytes);
}

TEST(Purger, LeavesPromisedMemoryAndAFixedCacheAlone) {
  settings().purge_delay_ms = 20;
  ASSERT_TRUE(prefault(2 * MiB));
  EXPECT_EQ(look_for_unused(), 0u);
  set_cache_cap(16 * MiB);
  give(take_touched(60).first);
  EXPECT_EQ(look_for_unused(), 0u);
}

TEST(Prefault, LeavesThatMuchMemoryReadyToTake) {
  ASSERT_TRUE(prefault(24 * MiB));
  const span sp = take(24 * MiB / slice_bytes, 1, growth::forbidden);
  ASSERT_TRUE(sp);
  EXPECT_EQ(resident_bytes(sp.start, 24 * MiB), 24 * MiB);
}

/// As in a process that was started under a limit, which is not reached.
void limit_address_space() {
  all.space_was_limited = true;
}

TEST(Prefault, StaysWhereAddressSpaceIsLimited) {
  limit_address_space();
  ASSERT_TRUE(prefault(24 * MiB));
  for (int i = 0; i < 3; ++i) {
    const span other = take(1, 1, growth::forbidden);
    give(other.first);  // a range's free tail is unmapped now and then
  }
  EXPECT_GE(stats().cached_bytes, 23 * MiB);
  const span sp = take(23 * MiB / slice_bytes, 1, growth::forbidden);
  ASSERT_TRUE(sp);
  EXPECT_EQ(resident_bytes(sp.start, 23 * MiB), 23 * MiB);
}

TEST(Prefault, HoldsAddressSpaceOnlyUntilItWasUsed) {
  limit_address_space();
  ASSERT_TRUE(prefault(24 * MiB));
  const span sp = take(24 * MiB / slice_bytes, 1, growth::forbidden);
  ASSERT_TRUE(sp);
  give(sp.first);
  EXPECT_LE(stats().committed_bytes, 4 * MiB);
}

TEST(Prefault, StaysWhenOtherMemoryExceedsTheCap) {
  const std::vector<span> used = take_many(30, MiB / slice_bytes);
  ASSERT_TRUE(prefault(24 * MiB));
  give_many(used, 0, 1);
  EXPECT_GE(stats().cached_bytes, 24 * MiB);
  EXPECT_LE(stats().cached_bytes, 24 * MiB + little_free);
}

TEST(Prefault, OfLittleAndOfTooMuch) {
  EXPECT_TRUE(prefault(0));
  EXPECT_TRUE(prefault(1));
  const std::size_t ranges_before = range_count.load(relaxed);
  EXPECT_FALSE(prefault(std::size_t{1} << 50));
  EXPECT_EQ(range_count.load(relaxed), ranges_before);
  EXPECT_LT(stats().peak_bytes, GiB);
}

}  // namespace
}  // namespace heapsmith::spans
