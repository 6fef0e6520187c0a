// Conditional assignments do as `if` does, for every width.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "heapsmith/detail/containers/assign_if.hpp"

namespace heapsmith::detail {
namespace {

template <class Number>
class AssignIf : public testing::Test {};
using widths = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(AssignIf, widths);

TYPED_TEST(AssignIf, AssignsBothOrNeither) {
  constexpr TypeParam most = std::numeric_limits<TypeParam>::max();
  for (const TypeParam value : {TypeParam{0}, TypeParam{77}, most}) {
    for (const bool condition : {false, true}) {
      TypeParam a = 1, b = most;
      assign_if(condition, a, value, b, static_cast<TypeParam>(value / 2));
      EXPECT_EQ(a, condition ? value : 1);
      EXPECT_EQ(b, condition ? static_cast<TypeParam>(value / 2) : most);
    }
  }
}

TYPED_TEST(AssignIf, CanSwapTheVariables) {
  TypeParam a = 1, b = 2;
  assign_if(true, a, b, b, a);
  EXPECT_EQ(a, 2);
  EXPECT_EQ(b, 1);
}

}  // namespace
}  // namespace heapsmith::detail
