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
  const unsigned a = kept.add(of(0, 2), 2, 100), b = kept.add(of(1, 3), 3, 100);
  EXPECT_EQ(kept.remove(a, 3), nullptr) << "a slot filled with another length since";
  EXPECT_EQ(kept.remove_any(1), nullptr);
  EXPECT_EQ(kept.remove_any(3), &spans[1]);
  EXPECT_EQ(kept.remove(b, 3), nullptr);
  EXPECT_EQ(kept.remove(a, 2), &spans[0]);
  EXPECT_EQ(kept.remove_any(2), nullptr);
  EXPECT_EQ(kept.remove_any(1000), nullptr);
}

TEST_F(Kept, NoMoreSlicesThanAllowed) {
  EXPECT_EQ(kept.add(of(0, kept_slices + 1), kept_slices + 1, 100), kept_slots);
  const unsigned a = kept.add(of(1, 5), 5, 8);
  EXPECT_LT(a, kept_slots);
  EXPECT_EQ(kept.add(of(2, 4), 4, 8), kept_slots);
  EXPECT_LT(kept.add(of(3, 3), 3, 8), kept_slots);
  EXPECT_EQ(kept.add(of(4, 1), 1, 8), kept_slots);
  EXPECT_EQ(kept.remove(a, 5), &spans[1]);
  EXPECT_LT(kept.add(of(4, 1), 1, 8), kept_slots);
}

TEST_F(Kept, NoMoreSpansThanSlots) {
  for (unsigned i = 0; i < kept_slots; ++i) ASSERT_EQ(kept.add(of(i, 1), 1, 1000), i);
  EXPECT_EQ(kept.add(of(64, 1), 1, 1000), kept_slots);
  EXPECT_EQ(kept.remove(17, 1), &spans[17]);
  EXPECT_EQ(kept.add(of(64, 1), 1, 1000), 17u);
}

TEST_F(Kept, ASpanThatAClassWantsIsTakenLast) {
  const unsigned a = kept.add(of(0, 1), 1, 100, 7), b = kept.add(of(1, 1), 1, 100);
  kept.add(of(2, 1), 1, 100, 9);
  EXPECT_EQ(kept.remove_any(1), &spans[1]);
  EXPECT_EQ(kept.remove_wanted(a, 1, 9), nullptr) << "it is wanted by another";
  EXPECT_EQ(kept.remove_any(1), &spans[0]) << "there is no other";
  EXPECT_EQ(kept.add(of(3, 1), 1, 100, 8), a);
  EXPECT_EQ(kept.remove_wanted(a, 1, 7), nullptr) << "the slot has another span";
  EXPECT_EQ(kept.remove_wanted(a, 1, 8), &spans[3]);
  EXPECT_EQ(kept.remove_wanted(b, 1, 0), nullptr);
}

TEST_F(Kept, SpansThatClassesWantLeaveRoomForOthers) {
  threads_with_heaps.store(1, relaxed);
  EXPECT_EQ(kept.most_with_unwanted(), kept_slices);
  for (unsigned i = 0; i < 5; ++i) kept.add(of(i, 1), 1, 100, 7);
  EXPECT_EQ(kept.most_with_unwanted(), kept_slices + 5);
  kept.remove(2, 1);
  EXPECT_EQ(kept.most_with_unwanted(), kept_slices + 4);
  threads_with_heaps.store(1000, relaxed);
  EXPECT_EQ(kept.most_with_unwanted(), kept_slices) << "many threads share what may be kept";
  threads_with_heaps.store(0, relaxed);
  purge();
  kept.add(of(0, 1), 1, 100);
  EXPECT_EQ(kept.most_with_unwanted(), kept_slices) << "no class wants what a purge took";
}

TEST(KeptInUse, ThreadsTogetherKeepAFixedAmountUntilEachHasTheLeast) {
  const std::pair<std::uint32_t, std::uint32_t> expected[] = {
      {0, 128}, {1, 128}, {2, 64}, {3, 42}, {15, 8}, {16, 8}, {17, 8}, {1000, 8}};
  for (const auto& [threads, slices] : expected) {
    threads_with_heaps.store(threads, relaxed);
    EXPECT_EQ(kept_slices_in_use(), slices) << threads;
  }
  threads_with_heaps.store(0, relaxed);
}

TEST_F(Kept, APurgeTakesAllAndMakesRoom) {
  const unsigned a = kept.add(of(0, 4), 4, 8);
  kept.add(of(1, 4), 4, 8);
  EXPECT_EQ(purge().size(), 2u);
  EXPECT_EQ(purge().size(), 0u);
  EXPECT_EQ(kept.remove(a, 4), nullptr);
  EXPECT_LT(kept.add(of(2, 8), 8, 8), kept_slots);
  EXPECT_EQ(kept.remove_any(4), nullptr) << "the sets forget what the purge took";
  EXPECT_EQ(kept.remove_any(8), &spans[2]);
  for (unsigned round = 0; round < 100; ++round) {
    ASSERT_LT(kept.add(of(0, 8), 8, 8), kept_slots) << round;
    ASSERT_EQ(kept.add(of(1, 1), 1, 8), kept_slots) << round;
    ASSERT_EQ(round % 2 == 0 ? purge().at(0) : kept.remove_any(8), &spans[0]) << round;
  }
}

TEST_F(Kept, PurgesFreeTheSlots) {
  for (unsigned round = 0; round < 2 * kept_slots; ++round) {
    ASSERT_LT(kept.add(of(0, 1), 1, 8), kept_slots) << round;
    ASSERT_EQ(purge().size(), 1u);
  }
}

}  // namespace
}  // namespace heapsmith
