// Huge pages: what the OS is asked for, and when.
#include <gtest/gtest.h>
#include <string.h>

#include "os/os.hpp"
#include "os/os_fake.hpp"
#include "spans/direct_maps.hpp"
#include "spans/state.hpp"
#include "support/environment.hpp"
#include "support/pages.hpp"

namespace heapsmith::spans {
namespace {

using test::resident_bytes;
using test::started_with;

constexpr char name[] = "HEAPSMITH_HUGE_PAGES";

/// The heap asked for this, stretch by stretch. Each begins where the last one ended.
char *wanted = nullptr, *wanted_end = nullptr;
std::size_t requests, refusals;

void note(char* p, std::size_t bytes, bool is_wanted) {
  refusals += !is_wanted;
  if (!is_wanted) return;
  ++requests;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % os::huge_page_bytes, 0u);
  EXPECT_EQ(bytes % os::huge_page_bytes, 0u);
  EXPECT_EQ(resident_bytes(p, bytes), 0u) << "asked for after its first touch";
  if (wanted == nullptr) wanted = wanted_end = p;
  EXPECT_EQ(p, wanted_end);
  wanted_end = p + bytes;
}

void fill(std::size_t bytes, std::size_t slices) {
  for (std::size_t n = 0; n < bytes; n += slices * slice_bytes)
    memset(take(slices, 1, growth::allowed).start, 1, slices * slice_bytes);
}

char* start_of_range() {
  return reinterpret_cast<char*>(ranges[0].base);
}

TEST(HugePages, AreTheKernelsBusinessByDefault) {
  os::fake::watch_advice(note);
  fill(64 * MiB, 1);
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(requests + refusals, 0u);
}

TEST(HugePages, AreRefusedEverywhereIfTheUserWantsNone) {
  if (!started_with(name, "0")) return;
  os::fake::watch_advice(note);
  fill(64 * MiB, 1);
  EXPECT_EQ(requests, 0u);
  EXPECT_GE(refusals, stats().growths);
  const std::size_t before = refusals;
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(refusals, before + 1);
}

void expect_all_but_the_first_16_mib(std::size_t slices) {
  os::fake::watch_advice(note);
  fill(256 * MiB, slices);
  EXPECT_EQ(wanted, start_of_range() + 16 * MiB);
  EXPECT_EQ(wanted_end, start_of_range() + ranges[0].committed() * slice_bytes);
  EXPECT_LE(requests, stats().growths);
  EXPECT_EQ(refusals, 0u);
}

TEST(HugePages, BackTheHeapBeyondTheFirst16MiBIfTheUserWantsThem) {
  if (started_with(name, "1")) expect_all_but_the_first_16_mib(1);
}

TEST(HugePages, BackSpansThatLieAcrossThem) {
  if (started_with(name, "1")) expect_all_but_the_first_16_mib(5);
}

TEST(HugePages, BackLongSpans) {
  if (started_with(name, "1")) expect_all_but_the_first_16_mib(100);
}

TEST(HugePages, AreNotForSmallPrograms) {
  if (!started_with(name, "1")) return;
  os::fake::watch_advice(note);
  fill(12 * MiB, 1);
  EXPECT_EQ(requests + refusals, 0u);
}

TEST(HugePages, BehindDirectMapsAreTheKernelsBusiness) {
  if (!started_with(name, "1")) return;
  os::fake::watch_advice(note);
  direct_map(64 * MiB, os::page_bytes());
  EXPECT_EQ(requests + refusals, 0u);
}

}  // namespace
}  // namespace heapsmith::spans
