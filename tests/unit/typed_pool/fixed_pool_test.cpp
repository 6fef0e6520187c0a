// The pool inside its own object, at compile time and at run time.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "heapsmith/fixed_pool.hpp"

namespace heapsmith {
namespace {

static_assert(sizeof(fixed_pool<std::uint64_t, 64>) == 64 * 8 + 8 + 8);
static_assert(std::is_same_v<fixed_pool<int, 255>::index_type, std::uint8_t> &&
              std::is_same_v<fixed_pool<int, 256>::index_type, std::uint16_t> &&
              std::is_same_v<fixed_pool<int, 65536>::index_type, std::uint32_t>);

constexpr bool reuses_the_last_one_first() {
  fixed_pool<int, 4> p;
  for (int i = 0; i < 4; ++i)
    if (p.allocate(i) != i) return false;
  if (!p.full() || p.try_allocate(9) != std::nullopt) return false;
  p.deallocate(1);
  p.deallocate(3);
  if (p.contains(1) || p.contains(3) || !p.contains(2)) return false;
  if (p.allocate(30) != 3 || p.allocate(10) != 1) return false;
  int sum = 0;
  p.for_each([&](int v) { sum = sum * 100 + v; });
  p.clear();
  return sum == 100230 && p.empty() && p.allocate(5) == 0;
}
static_assert(reuses_the_last_one_first());

constexpr int optionals_at_compile_time() {
  fixed_pool<std::optional<int>, 3> p;
  const auto i = p.allocate(7);
  p.deallocate(p.allocate(1));
  return *p[i];
}
static_assert(optionals_at_compile_time() == 7);

struct thrower {
  explicit thrower(bool does) {
    if (does) throw std::runtime_error("no");
  }
};

TEST(FixedPool, AThrowingConstructorLeavesThePoolAsItWas) {
  fixed_pool<thrower, 3> p;
  EXPECT_THROW(p.allocate(true), std::runtime_error);
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.allocate(false), 0);
  EXPECT_EQ(p.allocate(false), 1);
  p.deallocate(0);
  p.deallocate(1);
  EXPECT_THROW(p.allocate(true), std::runtime_error);
  EXPECT_EQ(p.allocate(false), 1);
  EXPECT_EQ(p.allocate(false), 0);
  EXPECT_EQ(p.allocate(false), 2);
}

TEST(FixedPool, EndsItsRows) {
  fixed_pool<std::string, 70> p;
  for (int i = 0; i < 70; ++i) p.allocate(std::string(100, 'a'));
  for (std::uint8_t i = 0; i < 70; i += 2) p.deallocate(i);
  EXPECT_EQ(p.size(), 35u);
  EXPECT_EQ(p.at(69), std::string(100, 'a'));
}

TEST(FixedPoolDeathTest, StopsAtMisuse) {
  fixed_pool<int, 2> p;
  p.allocate(1);
  EXPECT_DEATH(p.deallocate(1), "fixed_pool: slot 1 is not live");
  p.allocate(2);
  EXPECT_DEATH(p.allocate(3), "fixed_pool: full: all 2 slots are in use");
}

}  // namespace
}  // namespace heapsmith
