// The process limit: what counts against it, and that free memory is given back before it refuses.
#include <gtest/gtest.h>
#include <string.h>

#include <vector>

#include "spans/spans.hpp"

namespace heapsmith::spans {
namespace {

/// A limit with room for `slices` beyond what is held now.
void allow(std::size_t slices) {
  const span_stats c = stats();
  set_limit(c.in_use_bytes + c.cached_bytes + c.outside_bytes + c.metadata_bytes +
            slices * slice_bytes);
}

TEST(Limit, ServesRequestsUpToTheLimitAndRefusesOthers) {
  ASSERT_TRUE(take(1, 1, growth::allowed));  // the range and its records are there
  allow(40);
  EXPECT_FALSE(take(41, 1, growth::allowed));
  std::size_t taken = 0;
  while (take(1, 1, growth::allowed)) ++taken;
  EXPECT_GE(taken, 38u);  // metadata may take the rest
  EXPECT_LE(taken, 40u);
  set_limit(0);
  EXPECT_TRUE(take(1, 1, growth::allowed));
}

TEST(Limit, PurgesTheCacheBeforeItRefuses) {
  const span a = take(30, 1, growth::allowed), guard = take(1, 1, growth::allowed);
  ASSERT_TRUE(guard);
  give(a.first);
  allow(5);
  const span b =
      take(34, 1, growth::allowed);  // too long for the hole, within the limit without it
  EXPECT_TRUE(b);
  EXPECT_EQ(stats().cached_bytes, 0u);
}

TEST(Limit, BelowTheHeldBytesStillServesFromTheCache) {
  const span a = take(8, 1, growth::allowed);
  give(a.first);
  set_limit(1);
  EXPECT_TRUE(take(8, 1, growth::allowed)) << "cached memory is held already";
  EXPECT_FALSE(take(1, 1, growth::allowed));
}

TEST(Limit, CountsMemoryMappedOutside) {
  ASSERT_TRUE(take(1, 1, growth::allowed));
  allow(100);
  EXPECT_TRUE(charge(60 * slice_bytes));
  EXPECT_FALSE(charge(60 * slice_bytes));
  EXPECT_FALSE(take(41, 1, growth::allowed));
  discharge(60 * slice_bytes);
  EXPECT_TRUE(charge(60 * slice_bytes));
  EXPECT_EQ(stats().outside_bytes, 60 * slice_bytes);
}

TEST(Limit, HoldsForExtensionsToo) {
  const span a = take(1, 1, growth::allowed);
  allow(3);
  EXPECT_FALSE(extend(a.first, 4));
  EXPECT_TRUE(extend(a.first, 2));
}

TEST(Limit, HugeRequestsDoNotWrapAround) {
  ASSERT_TRUE(take(1, 1, growth::allowed));
  allow(10);
  EXPECT_FALSE(charge(object_max + 1));
  EXPECT_FALSE(charge(object_max - slice_bytes));
  EXPECT_EQ(stats().outside_bytes, 0u);
}

}  // namespace
}  // namespace heapsmith::spans
