// The pool inside its own object, at compile time and at run time.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "heapsmith/inline_pool.hpp"

namespace heapsmith {
namespace {

static_assert(sizeof(inline_pool<std::uint64_t, 64>) == 64 * 8 + 8 + 8);
static_assert(std::is_same_v<inline_pool<int, 255>::index_type, std::uint8_t> &&
              std::is_same_v<inline_pool<int, 256>::index_type, std::uint16_t> &&
              std::is_same_v<inline_pool<int, 65536>::index_type, std::uint32_t>);

constexpr bool reuses_the_last_one_first() {
  inline_pool<int, 4> p;
  for (int i = 0; i < 4; ++i)
    if (p.emplace(i) != i) return false;
  if (!p.full() || p.try_emplace(9) != std::nullopt) return false;
  p.erase(1);
  p.erase(3);
  if (p.contains(1) || p.contains(3) || !p.contains(2)) return false;
  if (p.emplace(30) != 3 || p.emplace(10) != 1) return false;
  int sum = 0;
  p.for_each([&](int v) { sum = sum * 100 + v; });
  p.clear();
  return sum == 100230 && p.empty() && p.emplace(5) == 0;
}
static_assert(reuses_the_last_one_first());

constexpr int optionals_at_compile_time() {
  inline_pool<std::optional<int>, 3> p;
  const auto i = p.emplace(7);
  p.erase(p.emplace(1));
  return *p[i];
}
static_assert(optionals_at_compile_time() == 7);

struct thrower {
  explicit thrower(bool does) {
    if (does) throw std::runtime_error("no");
  }
};

TEST(InlinePool, AThrowingConstructorLeavesThePoolAsItWas) {
  inline_pool<thrower, 3> p;
  EXPECT_THROW(p.emplace(true), std::runtime_error);
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.emplace(false), 0);
  EXPECT_EQ(p.emplace(false), 1);
  p.erase(0);
  p.erase(1);
  EXPECT_THROW(p.emplace(true), std::runtime_error);
  EXPECT_EQ(p.emplace(false), 1);
  EXPECT_EQ(p.emplace(false), 0);
  EXPECT_EQ(p.emplace(false), 2);
}

TEST(InlinePool, EndsItsRows) {
  inline_pool<std::string, 70> p;
  for (int i = 0; i < 70; ++i) p.emplace(std::string(100, 'a'));
  for (std::uint8_t i = 0; i < 70; i += 2) p.erase(i);
  EXPECT_EQ(p.size(), 35u);
  EXPECT_EQ(p.at(69), std::string(100, 'a'));
}

TEST(InlinePoolDeathTest, AbortsOnMisuse) {
  inline_pool<int, 2> p;
  p.emplace(1);
  EXPECT_DEATH(p.erase(1), "inline_pool: slot 1 is not live");
  p.emplace(2);
  EXPECT_DEATH(p.emplace(3), "inline_pool: full: all 2 slots are in use");
}

}  // namespace
}  // namespace heapsmith
