// The arithmetic of occupancy bins, for every capacity that occurs.
#include "slabs/bins.hpp"

#include <gtest/gtest.h>

namespace heapsmith {
namespace {

TEST(Bins, CountdownEndsExactlyWhereTheNextLowerBinBegins) {
  for (const class_info& info : class_table) {
    const std::uint32_t capacity = info.capacity;
    for (std::uint32_t used = 1; used <= capacity; ++used) {
      const unsigned b = bin_of(used, capacity);
      ASSERT_LT(b, bin_count);
      if (used > nearly_full(capacity)) {
        ASSERT_EQ(b, last_bin) << used;
      } else {
        const auto quarter = (std::uint64_t{used} * last_bin + capacity - 1) / capacity;
        ASSERT_EQ(b + 1, quarter) << used;
      }
      const std::uint32_t later = below_bin(b, capacity);
      ASSERT_LT(later, used);
      for (std::uint32_t u = later + 1; u <= used; ++u) ASSERT_EQ(bin_of(u, capacity), b) << u;
      if (later == 0) {
        ASSERT_EQ(b, capacity == 1 ? last_bin : 0u);
      } else {
        ASSERT_EQ(bin_of(later, capacity), b - 1);
      }
    }
  }
}

TEST(Bins, ASlabServesSeveralTimesBeforeItIsNearlyFull) {
  for (const class_info& info : class_table) {
    const std::uint32_t least = info.capacity - nearly_full(info.capacity);
    EXPECT_GE(least, std::min(info.capacity / 8, 8u));
    EXPECT_LE(least, std::max(info.capacity / (info.capacity < 128 ? 8 : 16), 1u));
  }
}

TEST(Bins, ListsKeepTheirOrderWhenAnySlabLeaves) {
  thread_heap h;
  slab s[4];
  for (slab& x : s) {
    x.capacity = 64;
    x.size_class = 3;
    enter_bin(h, &x, 56);
  }
  EXPECT_EQ(fullest(h, 3), &s[3]);
  leave_bin(h, &s[1]);
  leave_bin(h, &s[3]);
  EXPECT_EQ(h.bins[3][last_bin - 1], &s[2]);
  EXPECT_EQ(s[2].next, &s[0]);
  EXPECT_EQ(s[0].previous, &s[2]);
  leave_bin(h, &s[2]);
  leave_bin(h, &s[0]);
  EXPECT_EQ(fullest(h, 3), nullptr);
}

TEST(Bins, NearlyFullSlabsAreApart) {
  thread_heap h;
  slab s[18];
  block b;
  for (std::uint32_t i = 0; i < 18; ++i) {
    s[i].capacity = 160;
    s[i].free = &b;
    enter_bin(h, &s[i], i < 16 ? 151 + i % 9 : 150);
  }
  EXPECT_EQ(first_nearly_full(h, 0), &s[15]);
  EXPECT_EQ(fullest(h, 0), &s[17]);
  leave_bin(h, &s[17]);
  leave_bin(h, &s[16]);
  EXPECT_EQ(fullest(h, 0), nullptr);
}

TEST(Bins, AFullSlabServesOnceItHasABlock) {
  thread_heap h;
  slab s[3];
  for (slab& x : s) {
    x.capacity = 56;
    enter_bin(h, &x, 56);
    EXPECT_EQ(x.countdown, 7u) << "no event before it can serve";
  }
  EXPECT_EQ(fullest(h, 0), nullptr);
  EXPECT_EQ(first_nearly_full(h, 0), nullptr);
  block b;
  s[1].free = &b;
  --s[1].countdown;
  EXPECT_EQ(first_nearly_full(h, 0), &s[1]);
}

TEST(Bins, TheFullestIsFoundFirst) {
  thread_heap h;
  slab s[8];
  for (std::uint32_t used = 1; used <= 8; ++used) {
    s[used - 1].capacity = 64;
    enter_bin(h, &s[used - 1], used * 7);
  }
  for (std::uint32_t left = 8; left > 0; left -= 2) {
    for (int k = 0; k < 2; ++k) {
      slab* f = fullest(h, 0);
      ASSERT_EQ(bin_of(f->countdown + f->later, 64), left / 2 - 1);
      leave_bin(h, f);
    }
  }
}

}  // namespace
}  // namespace heapsmith
