// Spans that a thread keeps: by slot and by length, up to a bound, and gone after a purge.
#include "slabs/kept.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heapsmith {
namespace {

struct Kept : testing::Test {
  spans::record spans[70];
  kept_spans kept;

  spans::record* of(unsigned i, std::uint32_t slices) {
    spans[i].slices = slices;
    return &spans[i];
  }
  std::vector<spans::record*> purge() {
    std::vector<spans::record*> found;
    kept.purge([&](spans::record* first) { found.push_back(first); });
    return found;
  }
};

TEST_F(Kept, ASpanIsFoundByItsSlotOrItsLength) {
  const unsigned a = kept.add(of(0, 2), 2), b = kept.add(of(1, 3), 3);
  EXPECT_EQ(kept.take(a, 3), nullptr) << "a slot filled with another length since";
  EXPECT_EQ(kept.take_any(1), nullptr);
  EXPECT_EQ(kept.take_any(3), &spans[1]);
  EXPECT_EQ(kept.take(b, 3), nullptr);
  EXPECT_EQ(kept.take(a, 2), &spans[0]);
  EXPECT_EQ(kept.take_any(2), nullptr);
  EXPECT_EQ(kept.take_any(1000), nullptr);
}

TEST_F(Kept, NoMoreSlicesThanAllowed) {
  EXPECT_EQ(kept.add(of(0, kept_longest + 1), kept_longest + 1), kept_slots);
  const unsigned a = kept.add(of(1, 5), 5);
  EXPECT_LT(a, kept_slots);
  EXPECT_EQ(kept.add(of(2, 4), 4), kept_slots);
  EXPECT_LT(kept.add(of(3, 3), 3), kept_slots);
  EXPECT_EQ(kept.add(of(4, 1), 1), kept_slots);
  EXPECT_EQ(kept.take(a, 5), &spans[1]);
  EXPECT_LT(kept.add(of(4, 1), 1), kept_slots);
}

TEST_F(Kept, APurgeTakesAllAndMakesRoom) {
  const unsigned a = kept.add(of(0, 4), 4);
  kept.add(of(1, 4), 4);
  EXPECT_EQ(purge().size(), 2u);
  EXPECT_EQ(purge().size(), 0u);
  EXPECT_EQ(kept.take(a, 4), nullptr);
  EXPECT_LT(kept.add(of(2, 8), 8), kept_slots);
  EXPECT_EQ(kept.take_any(4), nullptr) << "the sets forget what the purge took";
  EXPECT_EQ(kept.take_any(8), &spans[2]);
  for (unsigned round = 0; round < 100; ++round) {
    ASSERT_LT(kept.add(of(0, 8), 8), kept_slots) << round;
    ASSERT_EQ(kept.add(of(1, 1), 1), kept_slots) << round;
    ASSERT_EQ(round % 2 == 0 ? purge().at(0) : kept.take_any(8), &spans[0]) << round;
  }
}

TEST_F(Kept, PurgesFreeTheSlots) {
  for (unsigned round = 0; round < 2 * kept_slots; ++round) {
    ASSERT_LT(kept.add(of(0, 1), 1), kept_slots) << round;
    ASSERT_EQ(purge().size(), 1u);
  }
}

}  // namespace
}  // namespace heapsmith
