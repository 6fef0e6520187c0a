// Taking, giving and extending spans, one rule a test.
#include "spans/state.hpp"

#include <gtest/gtest.h>
#include <string.h>

#include <set>
#include <vector>

#include "support/pages.hpp"

namespace heapsmith::spans {
namespace {

using test::is_zero;

span take_any(std::size_t slices, std::size_t align = 1) {
  return take(slices, align, growth::allowed);
}

TEST(Take, GrowsOnlyWhenAllowed) {
  EXPECT_FALSE(take(1, 1, growth::forbidden));
  EXPECT_EQ(stats().committed_bytes, 0u);
  const span sp = take_any(1);
  ASSERT_TRUE(sp);
  EXPECT_EQ(stats().growths, 1u);
  EXPECT_TRUE(take(1, 1, growth::forbidden)) << "growth is by more than one slice";
}

TEST(Take, GivesCleanZeroedMemoryWithRecords) {
  const span sp = take_any(5);
  ASSERT_TRUE(sp);
  EXPECT_EQ(sp.slices, 5u);
  EXPECT_EQ(sp.first->slices, 5u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(sp.start) % slice_bytes, 0u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(sp.slice_is_clean(i));
  EXPECT_FALSE(sp.slice_is_clean(5));
  EXPECT_TRUE(is_zero(sp.start, 5 * slice_bytes));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(find_anywhere(sp.start + i * slice_bytes), sp.first + i);
    EXPECT_EQ(find_anywhere(sp.start + (i + 1) * slice_bytes - 1), sp.first + i);
    EXPECT_TRUE(is_zero(sp.first[i].engine, sizeof sp.first[i].engine));
    EXPECT_EQ(sp.first[i].account, nullptr);
    EXPECT_EQ(range_of(sp.first + i).address_of(sp.first + i), sp.start + i * slice_bytes);
  }
}

TEST(Take, FindsNoRecordForForeignAddresses) {
  const span sp = take_any(1);
  int local = 0;
  EXPECT_EQ(find_anywhere(nullptr), nullptr);
  EXPECT_EQ(find_anywhere(&local), nullptr);
  EXPECT_EQ(find_anywhere(reinterpret_cast<void*>(UINTPTR_MAX)), nullptr);
  EXPECT_EQ(find_anywhere(reinterpret_cast<char*>(ranges[0].base) - 1), nullptr);
  EXPECT_EQ(find_anywhere(ranges[0].address_of(ranges[0].records + ranges[0].committed())),
            nullptr);
  EXPECT_EQ(find_anywhere(sp.start), sp.first);
}

TEST(Take, PrefersTheLowestAddress) {
  span s[6];
  for (span& x : s) x = take_any(3);
  give(s[3].first);
  give(s[1].first);
  give(s[4].first);
  EXPECT_EQ(take_any(2).first, s[1].first);
  EXPECT_EQ(take_any(6).first, s[3].first);
}

TEST(Take, PrefersDirtyMemoryToCleanAtLowerAddresses) {
  const span low = take_any(3), high = take_any(3), guard = take_any(1);
  ASSERT_TRUE(guard);
  give(low.first);
  ASSERT_EQ(purge(), 3 * slice_bytes);
  give(high.first);
  const span again = take_any(3);
  EXPECT_EQ(again.first, high.first);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(again.slice_is_clean(i));
  EXPECT_EQ(take_any(3).first, low.first);
}

TEST(TakeAgain, FindsOneOfTheSpansGivenLast) {
  const span low = take_any(20), wall = take_any(1), high = take_any(20), end = take_any(2);
  EXPECT_EQ(take_again(20), nullptr) << "nothing was given";
  give(high.first);
  EXPECT_EQ(take_again(19), nullptr);
  EXPECT_EQ(take_any(20).first, high.first);
  give(low.first);
  give(high.first);
  EXPECT_EQ(take_again(20), high.first) << "the youngest";
  EXPECT_EQ(take_again(20), low.first);
  EXPECT_EQ(take_again(20), nullptr) << "each is there once";
  EXPECT_EQ(stats().in_use_bytes, 43 * slice_bytes);
  give(low.first);
  give(wall.first);
  EXPECT_EQ(take_again(20), low.first) << "not the youngest, but as long";
  give(low.first);
  EXPECT_EQ(take_any(21).first, low.first) << "a search joins them";
  EXPECT_EQ(take_again(1), nullptr);
  give(end.first);
  const os::lock_guard guard(the_lock());
  EXPECT_EQ(take_again(2), nullptr) << "as in a signal handler that interrupts the spans";
}

TEST(TakeAgain, ForgetsTheOldestOfMoreThanItHasRoomFor) {
  constexpr std::size_t n = given_spans::room + 1;
  span s[n], wall;
  for (std::size_t i = 0; i < n; ++i) {
    s[i] = take_any(2 + i);
    wall = take_any(1);
  }
  ASSERT_TRUE(wall);
  for (const span& sp : s) give(sp.first);
  EXPECT_EQ(take_again(2), nullptr) << "it is in the words";
  EXPECT_EQ(take_any(1).first, s[0].first);
  for (std::size_t i = 1; i < n; ++i) EXPECT_EQ(take_again(2 + i), nullptr) << "as all are now";
  for (std::size_t i = 1; i < n; ++i) EXPECT_EQ(take_any(2 + i).first, s[i].first);
}

TEST(Take, TheIndexKnowsChangesInMorePlacesThanItNotes) {
  // Each span is one node of the index, and is never touched.
  constexpr std::size_t nodes = range_index::changed_slots + 30, slices = 512;
  set_cache_cap(never_purge);
  std::vector<span> spans;
  for (std::size_t i = 0; i < nodes; ++i) spans.push_back(take_any(slices));
  for (const span& sp : spans) {
    ASSERT_TRUE(sp);
    trim(sp.first, slices - 1);
  }
  const span far = take_any(2);
  ASSERT_NE(ranges[0].index, nullptr);
  EXPECT_GT(far.start, spans.back().start);
  trim(spans[0].first, slices - 50);  // the search begins here
  for (const std::size_t i : {std::size_t{20}, range_index::changed_slots + 20})
    trim(spans[i].first, slices - 100);
  EXPECT_EQ(take_any(90).start, spans[20].start + (slices - 100) * slice_bytes);
}

TEST(Take, AlignsToTheAddressNotTheRange) {
  std::vector<span> held;
  for (std::size_t align = 1; align <= 512; align *= 2) {
    held.push_back(take_any(3, align));
    ASSERT_TRUE(held.back());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held.back().start) % (align * slice_bytes), 0u);
    held.push_back(take_any(1));  // so that the next one does not begin aligned by chance
  }
}

TEST(Take, MarksTheCleanSlicesOfAMixedSpan) {
  set_cache_cap(never_purge);
  const span sp = take_any(80), guard = take_any(1);
  memset(sp.start, 0x5a, 80 * slice_bytes);
  give(sp.first);
  ASSERT_EQ(purge(), 80 * slice_bytes);
  const span left = take_any(10), middle = take_any(10);
  memset(middle.start, 0x5a, 10 * slice_bytes);
  give(left.first);
  give(middle.first);
  const span whole = take(80, 1, growth::forbidden);
  ASSERT_EQ(whole.first, sp.first);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(whole.slice_is_clean(i), i >= 20) << i;
    if (whole.slice_is_clean(i)) {
      EXPECT_TRUE(is_zero(whole.start + i * slice_bytes, slice_bytes));
    }
  }
  ASSERT_TRUE(guard);
}

TEST(Extend, TakesTheFreeNeighbourAndNothingElse) {
  const span a = take_any(2), b = take_any(3), c = take_any(1);
  EXPECT_FALSE(extend(a.first, 1));
  give(b.first);
  const span_stats before = stats();
  EXPECT_FALSE(extend(a.first, 4)) << "into a span in use";
  EXPECT_EQ(stats().in_use_bytes, before.in_use_bytes);
  EXPECT_TRUE(extend(a.first, 2));
  EXPECT_EQ(stats().in_use_bytes, before.in_use_bytes + 2 * slice_bytes);
  EXPECT_EQ(take(1, 1, growth::forbidden).first, b.first + 2);
  ASSERT_TRUE(c);
}

TEST(Extend, MovesTheFrontier) {
  span last;
  while (span sp = take(1, 1, growth::forbidden)) last = sp;
  if (!last) last = take_any(1);
  while (span sp = take(1, 1, growth::forbidden)) last = sp;
  const std::size_t committed = stats().committed_bytes, growths = stats().growths;
  ASSERT_EQ(last.start + slice_bytes, reinterpret_cast<char*>(ranges[0].base) + committed);
  ASSERT_TRUE(extend(last.first, 100));
  EXPECT_GE(stats().committed_bytes, committed + 100 * slice_bytes);
  EXPECT_EQ(stats().growths, growths + 1);
  memset(last.start, 1, 101 * slice_bytes);
}

span take_with_room(std::size_t slices, std::size_t room, account* holder = nullptr) {
  return take(slices, 1, growth::allowed, holder, room);
}

TEST(Room, IsTheSpansAndCountsNowhere) {
  const span sp = take_with_room(3, 5);
  ASSERT_TRUE(sp);
  const char* const room = sp.start + 3 * slice_bytes;
  EXPECT_EQ(stats().in_use_bytes, 3 * slice_bytes);
  EXPECT_EQ(stats().cached_bytes, 0u);
  EXPECT_LE(stats().peak_bytes, 4 * slice_bytes);
  for (int i = 0; i < 20; ++i) {
    const char* const other = take_any(1).start;
    EXPECT_TRUE(other < room || other >= room + 5 * slice_bytes);
  }
  EXPECT_TRUE(extend(sp.first, 4));
  EXPECT_EQ(sp.first->room, 1u);
  EXPECT_FALSE(extend(sp.first, 2));
  EXPECT_EQ(sp.first->room, 1u) << "nothing has changed";
  EXPECT_EQ(sp.first->slices, 7u);
  EXPECT_TRUE(extend(sp.first, 1));
  EXPECT_EQ(stats().in_use_bytes, (8 + 20) * slice_bytes);
}

TEST(Room, LosesTheMemoryThatLayThere) {
  set_cache_cap(never_purge);
  const span before = take_any(8), guard = take_any(1);
  memset(before.start, 1, 8 * slice_bytes);
  give(before.first);
  const span sp = take_with_room(4, 4);
  ASSERT_EQ(sp.first, before.first);
  ASSERT_TRUE(guard);
  EXPECT_EQ(test::resident_bytes(sp.start, 8 * slice_bytes), 4 * slice_bytes);
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(Room, ComesBackCleanWithTheSpanOrATrim) {
  for (const bool trims : {false, true}) {
    const span sp = take_with_room(4, 4), guard = take_any(1);
    memset(sp.start, 1, 4 * slice_bytes);
    if (trims)
      trim(sp.first, 2);
    else
      give(sp.first);
    EXPECT_EQ(sp.first->room, 0u);
    const span again = trims ? take(6, 1, growth::forbidden) : take(8, 1, growth::forbidden);
    ASSERT_EQ(again.first, sp.first + (trims ? 2 : 0));
    for (std::size_t i = 0; i < again.slices; ++i)
      EXPECT_EQ(again.slice_is_clean(i), i >= again.slices - 4) << i;
    give(guard.first);
    purge();
  }
}

TEST(Room, CountsAgainstNoLimitUntilItIsUsed) {
  account a;
  a.limit = 6 * slice_bytes;
  const span sp = take_with_room(4, 4, &a);
  ASSERT_TRUE(sp);
  EXPECT_EQ(a.held, 4 * slice_bytes);
  EXPECT_FALSE(extend(sp.first, 3));
  EXPECT_TRUE(extend(sp.first, 2));
  EXPECT_EQ(a.peak, 6 * slice_bytes);
  EXPECT_FALSE(take_with_room(1, 1, &a));
  give_all(a, [](record*, std::size_t) {});
  EXPECT_EQ(sp.first->room, 0u);
  EXPECT_EQ(stats().in_use_bytes, 0u);
}

TEST(Metadata, IsZeroedAlignedAndApart) {
  std::set<char*> starts;
  for (int i = 0; i < 500; ++i) {
    const std::size_t bytes = 1 + static_cast<std::size_t>(i) * 37;
    char* p = static_cast<char*>(allocate_metadata(bytes));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    ASSERT_TRUE(is_zero(p, bytes));
    memset(p, 0xff, bytes);
    starts.insert(p);
  }
  EXPECT_EQ(starts.size(), 500u);
  EXPECT_GE(stats().metadata_bytes, 500u * 37 * 499 / 2);
}

TEST(Stats, AddUpAfterEveryStep) {
  const span a = take_any(4), b = take_any(7);
  give(b.first);
  const span_stats c = stats();
  EXPECT_EQ(c.in_use_bytes, 4 * slice_bytes);
  EXPECT_EQ(c.cached_bytes, 7 * slice_bytes);
  EXPECT_EQ(c.peak_bytes, 11 * slice_bytes);
  EXPECT_EQ(c.takes, 2u);
  EXPECT_EQ(c.gives, 1u);
  EXPECT_GE(c.committed_bytes, 11 * slice_bytes);
  EXPECT_EQ(c.outside_bytes, 0u);
  EXPECT_EQ(c.metadata_bytes, c.committed_bytes / slice_bytes * sizeof(record));
  give(a.first);
  EXPECT_EQ(stats().in_use_bytes, 0u);
}

}  // namespace
}  // namespace heapsmith::spans
