// The policy for giving back, alone: played by hand, and against the use of real programs.
#include "spans/giving_back.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spans/uses/recorded.hpp"

namespace heapsmith::spans {
namespace {

constexpr std::uint64_t delay = 1000;
constexpr std::size_t always_kept = giving_back::always_kept;

/// A heap of numbers: no memory, only how many slices are in use, dirty, or back with the OS.
struct played_heap {
  giving_back policy = {};
  std::size_t in_use = 0, dirty = 0, most_in_use = 0, refaults = 0;
  std::uint64_t now = 1;

  constexpr void release(std::size_t n) {
    if (n == 0) return;
    n = std::min(n, dirty);
    dirty -= n;
    policy.release(n);
  }
  constexpr void take(std::size_t n) {
    const std::size_t from_dirty = std::min(n, dirty);
    dirty -= from_dirty;
    in_use += n;
    most_in_use = std::max(most_in_use, in_use);
    policy.note_taken(dirty);
    refaults += policy.refault(n - from_dirty);
  }
  constexpr void give(std::size_t n) {
    in_use -= n;
    dirty += n;
    release(policy.fall(n, in_use, dirty, [&] { return now; }));
  }
  constexpr void look() { release(policy.look(now, delay, dirty)); }

  /// Lets time pass, with a look in each `step`.
  constexpr void wait(std::uint64_t ms, std::uint64_t step) {
    for (const std::uint64_t end = now + ms; now < end; look()) now += std::min(step, end - now);
  }

  /// Goes to this use within so many milliseconds, with a look in each eight of them.
  constexpr void go_to(std::size_t use, std::uint64_t ms) {
    const std::uint64_t begin = now, end = now + ms;
    const std::size_t from = in_use;
    do {
      now = std::min(now + 8, end);
      const std::uint64_t passed = now - begin;
      const std::size_t want = ms == 0      ? use
                               : use > from ? from + (use - from) * passed / ms
                                            : from - (from - use) * passed / ms;
      while (in_use < want) take(std::min<std::size_t>(4, want - in_use));
      while (in_use > want) give(std::min<std::size_t>(4, in_use - want));
      look();
    } while (now != end);
  }
};

// Falls.

static_assert([] {
  played_heap h;
  h.take(1000);
  for (int i = 0; i < 200; ++i) h.give(4);
  return h.dirty >= 400 && h.dirty < 2 * h.in_use + 100;  // twice what is in use may be free
}());

static_assert([] {
  played_heap h;
  h.take(16'000);
  for (int i = 0; i < 4000; ++i) h.give(4);
  return h.dirty <= always_kept + giving_back::slices_at_once && h.refaults == 0;
}());

constexpr played_heap after_mistake() {
  played_heap h;
  h.take(2000);
  for (int i = 0; i < 500; ++i) h.give(4);
  h.take(2000);
  return h;
}
static_assert(after_mistake().refaults > 1800);

static_assert([] {
  played_heap h = after_mistake();
  for (int i = 0; i < 500; ++i) h.give(4);
  return h.dirty == 2000;  // it has no credit
}());

static_assert([] {
  played_heap h = after_mistake();
  h.now += 2 * 2000;
  for (int i = 0; i < 500; ++i) h.give(4);
  return h.dirty < 100;  // time has restored it
}());

static_assert([] {
  played_heap h;
  h.take(4000);
  for (int i = 0; i < 800; ++i) h.give(4);
  const std::size_t before = h.dirty;
  h.take(1);
  h.give(1);
  return h.dirty == before;  // a fall ends with a take, and no other begins
}());

// A clock that is refused reads 0: the credit is not restored, nothing divides by it.
static_assert([] {
  played_heap h;
  h.now = 0;
  h.take(4000);
  for (int i = 0; i < 1000; ++i) h.give(4);
  h.take(4000);
  for (int i = 0; i < 1000; ++i) h.give(4);
  h.look();
  return h.dirty == 4000;
}());

// The OS refuses.
static_assert([] {
  giving_back policy;
  int asked = 0;
  for (std::size_t dirty = 2000; dirty != 3000; ++dirty) {
    if (policy.fall(1, 0, dirty, [] { return 5000; }) == 0) continue;
    ++asked;
    policy.release(0);
  }
  return asked > 0 && asked < 10;
}());

// Time.

static_assert([] {
  played_heap h;
  h.take(300);
  h.give(60);
  h.wait(2 * delay + 60 / giving_back::slices_for_each_ms, 10);
  return h.dirty == 0;
}());

static_assert([] {
  played_heap h;
  h.take(300);
  h.give(60);
  for (int i = 0; i < 500; ++i) {  // needed again and again
    h.take(60);
    h.wait(10, 10);
    h.give(60);
  }
  return h.dirty == 60 && h.refaults == 0;
}());

static_assert([] {
  played_heap h;
  h.take(20'000);
  h.give(10'000);
  h.wait(10 * delay, 200);  // a look now and then is enough
  return h.dirty == 0;
}());

static_assert([] {
  played_heap h;
  h.take(20'000);
  h.give(10'000);
  h.look();
  h.now += delay;
  const std::size_t before = h.dirty;
  h.look();
  return before - h.dirty == delay * giving_back::slices_for_each_ms;  // no look takes longer
}());

// Of two threads, one comes with a clock that it read before the other one looked.
static_assert([] {
  played_heap h;
  h.take(300);
  h.give(60);
  h.wait(500, 10);
  return h.policy.look(h.now - 4, delay, h.dirty) == 0 && h.policy.owed() == 0;
}());

// A purge on request leaves nothing that is owed, and is no mistake.
static_assert([] {
  played_heap h;
  h.take(3000);
  h.give(1000);
  h.wait(delay + 20, 8);
  const bool owes = h.policy.owed() != 0;
  h.dirty = 0;
  h.look();
  return owes && h.policy.owed() == 0;
}());

// However long the program slept, a look releases no more than for a second.
static_assert([] {
  played_heap h;
  h.take(300'000);
  h.give(150'000);
  h.wait(2 * delay, 10);
  h.now += 600'000;
  const std::size_t before = h.dirty;
  h.look();
  return before - h.dirty == giving_back::most_ms_of_a_look * giving_back::slices_for_each_ms;
}());

// Recorded programs.

played_heap play(const test::recorded_use& recorded) {
  played_heap h;
  for (const test::turn& t : recorded.turns)
    h.go_to(t.slices, t.ms + 1 - std::min<std::uint64_t>(h.now, t.ms + 1));
  return h;
}

/// The cost of a slice that goes back and is needed again.
constexpr double refault_ms = 0.015;

TEST(GivingBack, CostsProgramsLittle) {
  for (const test::recorded_use& recorded : test::recorded_uses) {
    const played_heap h = play(recorded);
    const double ms = static_cast<double>(h.now);
    // Each may make one mistake; those that follow are paid for by the time between them.
    const double first = refault_ms * static_cast<double>(h.most_in_use);
    EXPECT_LE(refault_ms * static_cast<double>(h.refaults), 0.01 * ms + first) << recorded.program;
    printf("%-12s %6.0f ms, most in use %5zu slices, %5zu needed again: %.1f %% of the time\n",
           recorded.program, ms, h.most_in_use, h.refaults,
           100 * refault_ms * static_cast<double>(h.refaults) / ms);
  }
}

TEST(GivingBack, LeavesNothingToProgramsThatGoOnWithLittle) {
  for (const test::recorded_use& recorded : test::recorded_uses) {
    played_heap h = play(recorded);
    const auto rate = h.dirty / giving_back::slices_for_each_ms;
    h.wait(2 * delay + rate, 100);
    EXPECT_EQ(h.dirty, 0u) << recorded.program;
  }
}

TEST(GivingBack, LeavesLittleToProgramsThatFallAsleepAfterAFirstFall) {
  for (const test::recorded_use& recorded : test::recorded_uses) {
    played_heap h;
    h.go_to(4000, 500);
    h.go_to(recorded.turns.back().slices / 64, 20);
    EXPECT_LE(h.dirty, always_kept + giving_back::slices_at_once) << recorded.program;
  }
}

}  // namespace
}  // namespace heapsmith::spans
