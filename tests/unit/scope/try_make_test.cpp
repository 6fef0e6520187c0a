// The try_ forms of scopes: nullptr instead of an exception, and no object is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapsmith/inline_arena.hpp"
#include "heapsmith/scope.hpp"
#include "scope/witness.hpp"

namespace heapsmith {
namespace {

using fixed_scope = scope<null_resource>;

template <class T, class... Arguments>
constexpr bool is_quiet =
    noexcept(std::declval<fixed_scope&>().try_make<T>(std::declval<Arguments>()...));
static_assert(is_quiet<int> && is_quiet<int, int> && is_quiet<std::unique_ptr<int>>);
static_assert(is_quiet<std::string, std::string> && !is_quiet<std::string, const std::string&>);
static_assert(!is_quiet<fragile, std::vector<int>&, int>);
static_assert(noexcept(std::declval<fixed_scope&>().try_make_array<int>(1)));
static_assert(noexcept(std::declval<fixed_scope&>().try_make_span<std::string>(1)));
static_assert(!noexcept(std::declval<fixed_scope&>().try_make_array<fragile>(1)));
static_assert(noexcept(std::declval<fixed_scope&>().try_make_span(std::string_view())));
static_assert(!noexcept(
    std::declval<fixed_scope&>().try_make_span(std::declval<std::vector<std::string>&>())));
static_assert(!noexcept(std::declval<fixed_scope&>().make<int>()));

TEST(ScopeTryMake, MakesTheSameObjectsAsMake) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    EXPECT_EQ(*s.try_make<int>(7), 7);
    EXPECT_EQ(s.try_make<witness<>>(log, 1)->number, 1);
    EXPECT_EQ(s.make<witness<>>(log, 2).number, 2);
    EXPECT_EQ(s.try_make_array<int>(3)[2], 0);
    EXPECT_EQ(s.try_make_span<std::string>(4).size(), 4u);
    const std::span<char> text = s.try_make_span(std::string_view("text"));
    EXPECT_EQ(std::string_view(text.data(), text.size()), "text");
  }
  EXPECT_EQ(log, downwards(2, 1));
}

TEST(ScopeTryMake, AFullArenaMakesNothing) {
  std::vector<int> log;
  {
    fixed_arena a(96);
    scope s(a);
    ASSERT_NE(s.try_make<witness<16>>(log, 1), nullptr);
    const std::size_t left = s.remaining();
    ASSERT_EQ(left, 32u);
    EXPECT_EQ(s.try_make<witness<24>>(log, 2), nullptr) << "there is no room for its entry";
    EXPECT_EQ((s.try_make<std::array<char, 33>>()), nullptr);
    EXPECT_EQ(s.try_make_array<char>(33), nullptr);
    EXPECT_EQ(s.try_make_span<char>(33).data(), nullptr);
    EXPECT_TRUE(s.try_make_span<std::string>(2).empty());
    EXPECT_EQ(s.try_make_span(std::string(33, 'x')).data(), nullptr);
    EXPECT_EQ(s.try_allocate(33, 1), nullptr);
    EXPECT_EQ(s.remaining(), left) << "a refused request took something";
    EXPECT_NE(s.try_make<witness<16>>(log, 3), nullptr) << "it lengthens the run";
    EXPECT_EQ(s.remaining(), 0u);
    EXPECT_EQ(s.try_make<char>(), nullptr);
    EXPECT_EQ(s.try_make<witness<16>>(log, 4), nullptr);
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, (std::vector{3, 1}));
}

TEST(ScopeTryMake, PassesOnExceptionsOfConstructors) {
  std::vector<int> log;
  fragile::shared_log = &log;
  arena a;
  scope s(a);
  EXPECT_THROW(static_cast<void>(s.try_make<fragile>(log, 13)), std::runtime_error);
  fragile::next = 10;
  EXPECT_THROW(static_cast<void>(s.try_make_array<fragile>(10)), std::runtime_error);
  EXPECT_EQ(log, downwards(12, 10));
}

TEST(ScopeTryMake, NoRoomForALateEntryDestroysTheObject) {
  std::vector<int> log;
  {
    fixed_arena a(1000);
    scope s(a);
    EXPECT_EQ(s.try_make<greedy>(s, log), nullptr);
    EXPECT_EQ(log, (std::vector{1}));
  }
  EXPECT_EQ(log, (std::vector{1, 2}));
}

/// A range that is longer than any array.
constexpr auto endless = std::views::iota(std::uint64_t{0}, std::uint64_t{1} << 62);

TEST(ScopeTryMake, RefusesArraysThatAreTooLong) {
  arena a;
  scope s(a);
  EXPECT_EQ(s.try_make_array<int>(SIZE_MAX / 4 + 1), nullptr);
  EXPECT_EQ(s.try_make_array<std::string>(SIZE_MAX), nullptr);
  EXPECT_TRUE(s.try_make_span(endless).empty());
  EXPECT_THROW(s.make_span(endless), std::bad_array_new_length);
  EXPECT_EQ(a.stats().pieces, 0u);
}

TEST(ScopeTryMake, CopiesInputRanges) {
  struct reader {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int operator*() const { return *at; }
    reader& operator++() { return ++at, *this; }
    void operator++(int) { ++at; }
    const int* at = nullptr;
  };
  static_assert(std::input_iterator<reader> && !std::forward_iterator<reader>);
  const int numbers[] = {3, 1, 2};
  arena a;
  scope s(a);
  const std::span<int> copies = s.make_span(std::views::counted(reader{numbers}, 3));
  EXPECT_TRUE(std::ranges::equal(copies, numbers));
}

}  // namespace
}  // namespace heapsmith
