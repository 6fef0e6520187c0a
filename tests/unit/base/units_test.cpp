// Rounding between bytes, slices and powers of two.
#include "base/units.hpp"

#include <gtest/gtest.h>

namespace heapsmith {
namespace {

TEST(Units, RoundingIsToTheNextMultipleAndNoFurther) {
  for (std::size_t align = 1; align <= 64 * KiB; align *= 2) {
    for (std::size_t n = 0; n <= 3 * align + 3; n += align > 4096 ? 61 : 1) {
      const std::size_t up = round_up(n, align), down = round_down(n, align);
      ASSERT_EQ(up % align, 0u);
      ASSERT_EQ(down % align, 0u);
      ASSERT_TRUE(up >= n && up - n < align) << n;
      ASSERT_TRUE(down <= n && n - down < align) << n;
    }
  }
}

TEST(Units, SlicesForCoversAndDoesNotWaste) {
  EXPECT_EQ(slices_for(0), 0u);
  for (std::size_t n = 1; n <= 4 * slice_bytes; n += 13) {
    ASSERT_GE(slices_for(n) * slice_bytes, n);
    ASSERT_LT((slices_for(n) - 1) * slice_bytes, n);
  }
}

TEST(Units, PowersOfTwo) {
  std::size_t found = 0;
  for (std::size_t n = 0; n <= MiB; ++n) found += is_power_of_two(n) ? 1 : 0;
  EXPECT_EQ(found, 21u);
  for (unsigned k = 0; k < 64; ++k) EXPECT_TRUE(is_power_of_two(std::size_t{1} << k));
}

}  // namespace
}  // namespace heapsmith
