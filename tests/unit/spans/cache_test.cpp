// Giving memory back: a cap of the user's, falls of use, time. The policy alone:
// giving_back_test.cpp.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
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

TEST(Purge, GivesAllCachedMemoryBackAndReturnsItsSize) {
  const span a = take_touched(10), live = take_touched(3);
  set_cache_cap(never_purge);
  give(a.first);
  EXPECT_EQ(resident_bytes(a.start, 10 * slice_bytes), 10 * slice_bytes);
  EXPECT_EQ(purge(), 10 * slice_bytes);
  EXPECT_EQ(resident_bytes(a.start, 10 * slice_bytes), 0u);
  EXPECT_EQ(resident_bytes(live.start, 3 * slice_bytes), 3 * slice_bytes);
  EXPECT_EQ(live.start[3 * slice_bytes - 1], 1);
  EXPECT_EQ(stats().cached_bytes, 0u);
  EXPECT_EQ(stats().purged_bytes, 10 * slice_bytes);
  EXPECT_EQ(purge(), 0u);
}

TEST(Purge, ReachesWhatTheKernelFilledBecauseItIsLocked) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) GTEST_SKIP() << "this user may lock no memory";
  const span a = take(300, 1, growth::allowed);
  ASSERT_TRUE(a && take(1, 1, growth::allowed));
  const range& r = ranges[0];
  const std::size_t first = free_tail_locked(r), tail = (r.committed() - first) * slice_bytes;
  const char* const beyond = r.address_of(r.records + first);
  ASSERT_NE(tail, 0u) << "growth is by more than a span needs";
  if (resident_bytes(beyond, tail) == 0) GTEST_SKIP() << "sanitizers let mlockall() do nothing";
  EXPECT_EQ(resident_bytes(beyond, tail), tail);
  give(a.first);
  purge();
  const std::size_t left = resident_bytes(beyond, tail);
  munlockall();
  if (left == tail) GTEST_SKIP() << "kernels before 5.18 take no locked page back";
  EXPECT_EQ(left, 0u);
}

TEST(Purge, SpansTakenAfterwardsAreClean) {
  const span a = take_touched(70);
  give(a.first);
  purge();
  const span b = take(70, 1, growth::forbidden);
  ASSERT_EQ(b.first, a.first);
  for (std::size_t i = 0; i < 70; ++i) EXPECT_TRUE(b.slice_is_clean(i));
  EXPECT_TRUE(test::is_zero(b.start, 70 * slice_bytes));
}

TEST(Cap, ReleasesTheHighestAddressesDownToThreeQuarters) {
  set_cache_cap(16 * slice_bytes);
  const span low = take_touched(16), guard = take_touched(1), high = take_touched(1);
  ASSERT_TRUE(guard);
  give(low.first);
  EXPECT_EQ(stats().cached_bytes, 16 * slice_bytes) << "at the cap nothing leaves";
  give(high.first);
  EXPECT_EQ(stats().cached_bytes, 12 * slice_bytes);
  EXPECT_EQ(resident_bytes(high.start, slice_bytes), 0u);
  EXPECT_EQ(resident_bytes(low.start, 12 * slice_bytes), 12 * slice_bytes);
  EXPECT_EQ(resident_bytes(low.start + 12 * slice_bytes, 4 * slice_bytes), 0u);
  EXPECT_EQ(stats().purges, 1u);
}

TEST(Cap, OfZeroKeepsNothing) {
  set_cache_cap(0);
  const span a = take_touched(5);
  give(a.first);
  EXPECT_EQ(stats().cached_bytes, 0u);
  EXPECT_EQ(resident_bytes(a.start, 5 * slice_bytes), 0u);
}

TEST(Cap, LoweredTakesEffectAtOnce) {
  set_cache_cap(never_purge);
  const span a = take_touched(100);
  give(a.first);
  set_cache_cap(10 * slice_bytes);
  EXPECT_LE(stats().cached_bytes, 10 * slice_bytes);
  EXPECT_LE(resident_bytes(a.start, 100 * slice_bytes), 10 * slice_bytes);
}

TEST(Cap, LeavesTwiceWhatIsInUse) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> taken = take_many(30, 16);
  for (std::size_t i = 10; i < 30; ++i) give(taken[i].first);
  EXPECT_EQ(stats().cached_bytes, 20 * MiB) << "use goes up and down";
  EXPECT_EQ(stats().purges, 0u);
  for (std::size_t i = 0; i < 10; ++i) give(taken[i].first);
  EXPECT_LE(stats().cached_bytes, little_free) << "nothing is in use any more";
  EXPECT_EQ(stats().purges, 1u);
}

TEST(Cap, AFreeOfAShortSpanReleasesLittle) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> taken = take_many(600, 1);
  EXPECT_EQ(give_many(taken, 0, 1), 12u);
  EXPECT_LE(stats().cached_bytes, little_free);
  EXPECT_EQ(stats().purges, 1u);
}

TEST(Cap, SpansShareTheReleaseOfTheExcess) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> taken = take_many(20, 30);
  EXPECT_LE(give_many(taken, 0, 1), 4 * 30u) << "16 MiB are 256";
  EXPECT_LE(stats().cached_bytes, little_free);
}

TEST(Cap, NoFreeReleasesMoreThanThreeTimesItsSize) {
  set_cache_cap(no_fixed_cap);
  EXPECT_LE(give_many(take_many(6, 200), 0, 1), 600u);
  EXPECT_LE(stats().cached_bytes, little_free);
}

TEST(Cap, HolesGoWhenTheyAreFarTooMany) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> spans = take_many(1200, 1);
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (i % 6 % 4 != 0) give(spans[i].first);  // runs of 3 and 1
  EXPECT_LE(stats().cached_bytes, 3 * stats().in_use_bytes);
  const std::size_t cached = stats().cached_bytes;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (i % 6 % 4 == 0 && i % 36 != 0) give(spans[i].first);
  EXPECT_LT(stats().cached_bytes, cached / 2);
}

TEST(Cap, HeapsThatEndLeaveNoMoreThanTheCap) {
  set_cache_cap(no_fixed_cap);
  account ended;
  for (int i = 0; i < 10; ++i) {
    const span sp = take(MiB * 20 / slice_bytes, 1, growth::allowed, &ended);
    ASSERT_TRUE(sp);
    memset(sp.start, 1, 20 * MiB);
  }
  give_all(ended, [](record*, std::size_t) {});
  EXPECT_LE(stats().cached_bytes, little_free);
}

TEST(Fall, ThatWasAMistakeIsNotRepeatedAtOnce) {
  set_cache_cap(no_fixed_cap);
  for (int round = 0; round < 12; ++round) give(take_touched(16 * MiB / slice_bytes).first);
  EXPECT_EQ(stats().purges, 1u) << "a program that frees and takes 16 MiB keeps paying for it";
  EXPECT_EQ(stats().refaults * slice_bytes, stats().purged_bytes);
}

TEST(Fall, ThatGrowthInPlaceTakesBackIsAMistake) {
  set_cache_cap(no_fixed_cap);
  const span sp = take_touched(1);
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(extend(sp.first, 479));
    trim(sp.first, 1);
  }
  EXPECT_EQ(stats().purges, 1u);
}

/// Free memory is clean in 1.8 GiB of address space: walks from the top find nothing there.
void make_much_clean() {
  set_cache_cap(never_purge);
  std::vector<span> high;
  for (int i = 0; i < 60; ++i) high.push_back(take(500, 1, growth::allowed));
  give_many(high, 0, 1);
  purge();
  set_cache_cap(no_fixed_cap);
}

TEST(Fall, IsSeenBelowMuchThatIsClean) {
  make_much_clean();
  const std::vector<span> taken = take_many(600, 1);
  give_many(taken, 0, 1);
  EXPECT_LE(stats().cached_bytes, little_free);
}

TEST(Fall, IsOverWhenSpansAreTaken) {
  set_cache_cap(no_fixed_cap);
  const std::vector<span> taken = take_many(40, 16);
  give_many(taken, 14, 1);
  EXPECT_EQ(stats().purges, 0u);
  give(taken[0].first);
  EXPECT_EQ(stats().purges, 1u);
  EXPECT_TRUE(all.policy.falls());
  ASSERT_TRUE(take(1, 1, growth::forbidden));
  EXPECT_FALSE(all.policy.falls());
}

/// A slow path looks at the clock.
void look_now() {
  look(os::now_ms());
}

/// Longer than a purge delay of 20 ms, on a clock that steps by 10.
void wait_longer_than_the_delay() {
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
}

TEST(PurgeDelay, MemoryThatNobodyNeedsGoesBack) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  give(take_touched(60).first);
  look_now();
  EXPECT_EQ(stats().cached_bytes, 60 * slice_bytes) << "a purge delay begins";
  wait_longer_than_the_delay();
  look_now();
  EXPECT_EQ(stats().cached_bytes, 0u);
  EXPECT_EQ(stats().purges, 1u);
}

TEST(PurgeDelay, MuchMemoryGoesBackAtARate) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  const std::vector<span> taken = take_many(40, 16), live = take_many(30, 16);
  give_many(taken, 0, 1);
  const std::uint64_t begin = os::now_ms();
  look_now();
  wait_longer_than_the_delay();
  look_now();
  const std::size_t passed = os::now_ms() - begin, left = stats().cached_bytes / slice_bytes;
  EXPECT_LT(left, 640u);
  EXPECT_GE(left + passed * giving_back::slices_for_each_ms, 640u);
  for (int looks = 0; looks < 40 && stats().cached_bytes != 0; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    look_now();
  }
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(PurgeDelay, MemoryBelowMuchThatIsCleanGoesBack) {
  make_much_clean();
  settings().purge_delay_ms = 20;
  give(take_touched(60).first);
  for (int looks = 0; looks < 20 && stats().cached_bytes != 0; ++looks) {
    look_now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(PurgeDelay, OneLookPassesMuchThatIsClean) {
  make_much_clean();
  settings().purge_delay_ms = 20;
  give(take_touched(60).first);
  look_now();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // enough for several parts
  look_now();
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(PurgeDelay, ALookWaitsForNobody) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  give(take_touched(60).first);
  look_now();
  wait_longer_than_the_delay();
  {
    const os::lock_guard guard(the_lock());
    look_now();
  }
  EXPECT_EQ(stats().cached_bytes, 60 * slice_bytes);
}

TEST(PurgeDelay, MemoryThatIsNeededStays) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 20;
  for (int i = 0; i < 40; ++i) {
    give(take_touched(60).first);
    look_now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(stats().cached_bytes, 60 * slice_bytes);
  EXPECT_EQ(stats().purges, 0u);
}

TEST(PurgeDelay, OfZeroKeepsNothing) {
  set_cache_cap(no_fixed_cap);
  settings().purge_delay_ms = 0;
  give(take_touched(5).first);
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(PurgeDelay, LeavesAFixedCacheAlone) {
  set_cache_cap(16 * MiB);
  settings().purge_delay_ms = 20;
  give(take_touched(60).first);
  look_now();
  wait_longer_than_the_delay();
  look_now();
  EXPECT_EQ(stats().cached_bytes, 60 * slice_bytes);
}

}  // namespace
}  // namespace heapsmith::spans
