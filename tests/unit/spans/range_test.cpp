// Ranges: holes in the address space that grow as they are needed, and what the environment may
// say.
#include <gtest/gtest.h>
#include <string.h>

#include <regex>
#include <string>
#include <vector>

#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/spans.hpp"
#include "support/environment.hpp"
#include "support/pages.hpp"

namespace heapsmith::spans {
namespace {

using test::started_with;

TEST(Range, ExistsBeforeMainAndHasNoSlicesYet) {
  EXPECT_EQ(range_count.load(relaxed), 1u);
  EXPECT_EQ(ranges[0].committed(), 0u);
  EXPECT_GE(ranges[0].capacity, 64 * MiB / slice_bytes);
  EXPECT_FALSE(test::is_mapped(reinterpret_cast<void*>(ranges[0].base)));
}

TEST(Range, EndsWithItsLastSlice) {
  const range& r = ranges[0];
  for (int i = 0; i < 5; ++i) {
    while (take(37, 1, growth::forbidden)) {
    }
    ASSERT_TRUE(take(37, 1, growth::allowed));
    char* end = reinterpret_cast<char*>(r.base) + r.committed() * slice_bytes;
    EXPECT_TRUE(test::is_mapped(end - test::os_page()));
    EXPECT_FALSE(test::is_mapped(end));
    EXPECT_TRUE(test::is_readable(r.records + r.committed() - 1));
    EXPECT_LE(r.records_mapped, r.committed() * sizeof(record) + test::os_page());
  }
}

TEST(Range, GrowthIsByAnEighth) {
  std::size_t growths = 0;
  while (stats().committed_bytes < 512 * MiB) {
    ASSERT_TRUE(take(1, 1, growth::allowed));
    growths = stats().growths;
  }
  EXPECT_LT(growths, 60u);
}

TEST(Range, AnotherRangeFollowsWhenOneIsFull) {
  if (!started_with("HEAPSMITH_RESERVE", "64M")) return;
  std::vector<span> held;
  for (int i = 0; i < 12; ++i) {
    held.push_back(take(500, 1, growth::allowed));  // two of these do not fit a range
    ASSERT_TRUE(held.back()) << i;
    memset(held.back().start + 499 * slice_bytes, i, slice_bytes);
  }
  EXPECT_GE(range_count.load(relaxed), 6u);
  for (int i = 0; i < 12; ++i) {
    const span& sp = held[static_cast<std::size_t>(i)];
    EXPECT_EQ(sp.start[500 * slice_bytes - 1], i);
    EXPECT_EQ(find_anywhere(sp.start + 499 * slice_bytes), sp.first + 499);
    EXPECT_EQ(range_of(sp.first).address_of(sp.first), sp.start);
  }
  for (const span& sp : held) give(sp.first);
  EXPECT_EQ(stats().in_use_bytes, 0u);
  EXPECT_TRUE(take(500, 1, growth::forbidden));
}

TEST(Range, ASmallRangeStillHasRoomForTheLargestSpan) {
  if (!started_with("HEAPSMITH_RESERVE", "1M")) return;
  const span small = take(1, 1, growth::allowed);
  EXPECT_TRUE(small);
  const span big = take(512, 512, growth::allowed);
  ASSERT_TRUE(big);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(big.start) % (512 * slice_bytes), 0u);
  memset(big.start, 1, 512 * slice_bytes);
}

TEST(Range, NoSpanReachesBeyondItsRange) {
  if (!started_with("HEAPSMITH_RESERVE", "64M")) return;
  const span sp = take(500, 1, growth::allowed);
  ASSERT_TRUE(sp);
  EXPECT_FALSE(extend(sp.first, 1024));
  EXPECT_TRUE(extend(sp.first, 100));
}

TEST(Range, ATooLargeRangeIsClamped) {
  if (!started_with("HEAPSMITH_RESERVE", "16777215T")) return;
  EXPECT_EQ(settings().reserve_bytes, most_reserve);
  EXPECT_LE(ranges[0].base + ranges[0].capacity * slice_bytes, std::uintptr_t{1} << 47);
  EXPECT_TRUE(take(1, 1, growth::allowed));
}

TEST(Range, AFullHeapSaysSoOnce) {
  if (!started_with("HEAPSMITH_RESERVE", "64M")) return;
  testing::internal::CaptureStderr();
  while (take(500, 1, growth::allowed)) {
  }
  EXPECT_FALSE(take(500, 1, growth::allowed));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(range_count.load(relaxed), max_ranges);
  EXPECT_TRUE(std::regex_match(
      said, std::regex("heapsmith: the heap is full at 40[0-9]{2}M; a larger HEAPSMITH_RESERVE "
                       "allows more\n")))
      << said;
}

TEST(Settings, LimitComesFromTheEnvironment) {
  if (!started_with("HEAPSMITH_LIMIT_BYTES", "4M")) return;
  EXPECT_TRUE(take(8, 1, growth::allowed));
  EXPECT_FALSE(take(64, 1, growth::allowed));
}

TEST(Settings, CacheComesFromTheEnvironment) {
  if (!started_with("HEAPSMITH_CACHE_BYTES", "128K")) return;
  const span sp = take(8, 1, growth::allowed);
  give(sp.first);
  EXPECT_LE(stats().cached_bytes, 128 * KiB);
}

TEST(Settings, ADelayOfMinusOneKeepsAllFreeMemory) {
  if (!started_with("HEAPSMITH_PURGE_DELAY_MS", "-1")) return;
  give(take(600, 1, growth::allowed).first);
  EXPECT_EQ(stats().cached_bytes, 600 * slice_bytes);
}

TEST(Settings, TheCacheWinsOverADelayOfMinusOne) {
  setenv("HEAPSMITH_CACHE_BYTES", "128K", 1);
  if (!started_with("HEAPSMITH_PURGE_DELAY_MS", "-1")) return;
  give(take(600, 1, growth::allowed).first);
  EXPECT_LE(stats().cached_bytes, 128 * KiB);
}

TEST(Settings, MalformedValuesAreIgnored) {
  if (!started_with("HEAPSMITH_RESERVE", "lots")) return;
  EXPECT_EQ(settings().reserve_bytes, 0u);
  EXPECT_TRUE(take(64, 1, growth::allowed));
}

}  // namespace
}  // namespace heapsmith::spans
