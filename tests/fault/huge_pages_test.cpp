// Huge pages: what the OS is asked for, and what goes back to it.
#include <gtest/gtest.h>
#include <string.h>

#include <set>
#include <vector>

#include "os/os.hpp"
#include "os/os_fake.hpp"
#include "spans/direct_maps.hpp"
#include "spans/parts.hpp"
#include "spans/state.hpp"
#include "support/environment.hpp"
#include "support/pages.hpp"

namespace heapsmith::spans {
namespace {

using test::resident_bytes;
using test::started_with;

constexpr char name[] = "HEAPSMITH_HUGE_PAGES";

std::set<char*>* wanted_parts;
std::size_t refusals;

bool note(char* p, std::size_t bytes, bool wanted) {
  refusals += !wanted;
  if (!wanted) return wanted_parts->erase(p), true;
  EXPECT_EQ(bytes, os::huge_page_bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % os::huge_page_bytes, 0u);
  EXPECT_EQ(resident_bytes(p, bytes), 0u) << "advised after its first touch";
  wanted_parts->insert(p);
  return true;
}

void begin() {
  wanted_parts = new std::set<char*>;
  os::fake::watch_advice(note);
}

std::vector<span> fill(std::size_t bytes, std::size_t slices) {
  std::vector<span> spans;
  for (std::size_t n = 0; n < bytes; n += slices * slice_bytes) {
    spans.push_back(take(slices, 1, growth::allowed));
    memset(spans.back().start, 1, slices * slice_bytes);
  }
  return spans;
}

/// Large spans of which one page is touched.
void fill_sparsely(std::size_t bytes, filling f = filling::usual) {
  for (std::size_t n = 0; n < bytes; n += 4 * MiB)
    take(4 * MiB / slice_bytes, 1, growth::allowed, nullptr, f).start[0] = 1;
}

char* start_of_range() {
  return reinterpret_cast<char*>(ranges[0].base);
}

/// An advised part of which this span is the first slice.
const span* first_advised(const std::vector<span>& spans) {
  for (const span& sp : spans)
    if (wanted_parts->contains(sp.start)) return &sp;
  return nullptr;
}

/// Fills `bytes` with spans of a slice, and frees all but one. That one, which begins an advised
/// part, or null.
char* free_all_but_one(std::size_t bytes) {
  begin();
  set_cache_cap(never_purge);
  const std::vector<span> spans = fill(bytes, 1);
  const span* const live = first_advised(spans);
  if (live == nullptr) return nullptr;
  for (const span& sp : spans)
    if (&sp != live) give(sp.first);
  return live->start;
}

TEST(HugePages, AreTheKernelsBusinessByDefault) {
  begin();
  fill(64 * MiB, 1);
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(wanted_parts->size() + refusals, 0u);
}

TEST(HugePages, AreRefusedEverywhereIfTheUserWantsNone) {
  if (!started_with(name, "0")) return;
  begin();
  fill(64 * MiB, 1);
  EXPECT_EQ(wanted_parts->size(), 0u);
  EXPECT_GE(refusals + 1, stats().growths) << "the first is shorter than a huge page";
  const std::size_t before = refusals;
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(refusals, before + 1);
}

void expect_filled_parts(std::size_t slices) {
  begin();
  fill(256 * MiB, slices);
  for (char* part : *wanted_parts) {
    EXPECT_GE(part, start_of_range() + 16 * MiB);
    EXPECT_LT(part, start_of_range() + 300 * MiB) << "metadata, or no slice";
  }
  // 120 parts, of which one in 16 is a witness. Long spans show later that they are filled.
  EXPECT_GE(wanted_parts->size(), 96u);
  EXPECT_LE(wanted_parts->size(), 120u * 15 / 16 + 2);
}

TEST(HugePages, BackFilledPartsBeyondTheFirst16MiB) {
  if (started_with(name, "1")) expect_filled_parts(1);
}

TEST(HugePages, BackSpansThatCrossParts) {
  if (started_with(name, "1")) expect_filled_parts(5);
}

TEST(HugePages, BackLongSpans) {
  if (started_with(name, "1")) expect_filled_parts(100);
}

TEST(HugePages, DoNotBackMemoryThatStaysSparse) {
  if (!started_with(name, "1")) return;
  begin();
  fill_sparsely(512 * MiB);
  EXPECT_EQ(wanted_parts->size(), 0u);
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(wanted_parts->size(), 0u);
}

TEST(HugePages, EndSoonWhenTheProgramFillsNoMore) {
  if (!started_with(name, "1")) return;
  begin();
  fill(128 * MiB, 1);
  const std::size_t before = wanted_parts->size();
  ASSERT_NE(before, 0u);
  fill_sparsely(1024 * MiB);
  EXPECT_LE(wanted_parts->size(), before + 32);
  const std::size_t sparse = wanted_parts->size();
  fill(64 * MiB, 1);
  EXPECT_GE(wanted_parts->size(), sparse + 16) << "and begin again";
}

TEST(HugePages, DoNotBackZeroedBlocks) {
  if (!started_with(name, "1")) return;
  begin();
  fill(128 * MiB, 1);
  const std::size_t before = wanted_parts->size();
  fill_sparsely(256 * MiB, filling::perhaps_sparse);
  EXPECT_EQ(wanted_parts->size(), before);
}

TEST(HugePages, GoBackAsAWhole) {
  if (!started_with(name, "1")) return;
  char* const live = free_all_but_one(128 * MiB);
  ASSERT_NE(live, nullptr);
  {
    const os::lock_guard guard(all.lock);
    start_walk_locked();
    walk_locked(SIZE_MAX, 1, SIZE_MAX, part_slices + 1);
  }
  EXPECT_EQ(resident_bytes(live, os::huge_page_bytes), os::huge_page_bytes);
  EXPECT_EQ(resident_bytes(start_of_range(), 128 * MiB), os::huge_page_bytes);
  EXPECT_EQ(stats().cached_bytes, os::huge_page_bytes - slice_bytes);
}

TEST(HugePages, AreBrokenByAPurge) {
  if (!started_with(name, "1")) return;
  char* const live = free_all_but_one(128 * MiB);
  ASSERT_NE(live, nullptr);
  EXPECT_EQ(purge(), 128 * MiB - slice_bytes);
  EXPECT_EQ(resident_bytes(start_of_range(), 128 * MiB), slice_bytes);
  EXPECT_FALSE(wanted_parts->contains(live));
}

TEST(HugePages, WhenBrokenKeepNothingBehindSlicesThatWereNeverTaken) {
  if (!started_with(name, "1")) return;
  begin();
  set_cache_cap(never_purge);
  fill(128 * MiB, 1);
  // The first three slices of a part, of which one stays.
  span first = take(1, 1, growth::allowed);
  while (!wanted_parts->contains(first.start)) first = take(1, 1, growth::allowed);
  const span second = take(1, 1, growth::allowed), third = take(1, 1, growth::allowed);
  memset(first.start, 0, os::huge_page_bytes);  // as a huge page is
  give(first.first);
  give(third.first);
  purge();
  EXPECT_EQ(resident_bytes(first.start, os::huge_page_bytes), slice_bytes);
  EXPECT_EQ(resident_bytes(second.start, slice_bytes), slice_bytes);
}

TEST(HugePages, AreNotSplitWhereContentsAreForgotten) {
  if (!started_with(name, "1")) return;
  begin();
  const std::vector<span> spans = fill(128 * MiB, 1);
  char* const part = first_advised(spans)->start;
  forget_contents(part, os::huge_page_bytes / 2);
  EXPECT_TRUE(test::is_zero(part, os::huge_page_bytes / 2));
  EXPECT_EQ(part[os::huge_page_bytes / 2], 1);
  EXPECT_EQ(resident_bytes(part, os::huge_page_bytes), os::huge_page_bytes);
  EXPECT_TRUE(lies_on_advised(part));
  forget_contents(part, os::huge_page_bytes);
  EXPECT_EQ(resident_bytes(part, os::huge_page_bytes), 0u);
  EXPECT_FALSE(lies_on_advised(part)) << "it may stay sparse";
}

TEST(HugePages, AreDoneWithoutIfTheOSRefuses) {
  if (!started_with(name, "1")) return;
  os::fake::watch_advice([](char*, std::size_t, bool) { return false; });
  const std::vector<span> spans = fill(128 * MiB, 1);
  for (const span& sp : spans) {
    EXPECT_FALSE(lies_on_advised(sp.start));
    give(sp.first);
  }
  purge();
  EXPECT_EQ(resident_bytes(start_of_range(), 128 * MiB), 0u);
}

}  // namespace
}  // namespace heapsmith::spans
