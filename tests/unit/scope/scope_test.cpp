// Scopes: how they open, nest and close, and how they use the arena's memory.
#include "heapsmith/scope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "arena/watched_upstream.hpp"
#include "heapsmith/inline_arena.hpp"
#include "scope/witness.hpp"

namespace heapsmith {
namespace {

static_assert(resource<scope<>> && expanding_resource<scope<>> && resettable_resource<scope<>>);
static_assert(!std::is_copy_constructible_v<scope<>> && !std::is_move_constructible_v<scope<>>);

TEST(Scope, RunsDestructorsInReverse) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(s.make<witness<>>(log, i).number, i);
      if (i % 7 == 0) s.make<int>(i);
      if (i % 5 == 0) s.make<std::string>("long enough not to lie within the string itself");
      if (i % 11 == 0) s.make<witness<5000>>(log, -1);
    }
    EXPECT_TRUE(log.empty());
  }
  std::erase(log, -1);
  EXPECT_EQ(log, downwards(99, 0));
}

TEST(Scope, RestoresTheArena) {
  watched_upstream up;
  arena a(up);
  void* const before = a.allocate(10, 1);
  const arena_stats was = a.stats();
  for (int round = 0; round < 3; ++round) {
    scope s(a);
    for (int i = 0; i < 1000; ++i) s.make<std::array<char, 100>>();
    EXPECT_GE(a.stats().used_bytes, 100'000u) << "the arena counts the memory of its scope";
    EXPECT_TRUE(a.owns(before));
  }
  EXPECT_EQ(a.stats().used_bytes, was.used_bytes);
  EXPECT_EQ(a.allocate(1, 1), static_cast<char*>(before) + 10);
  EXPECT_LE(up.blocks(), 2u);
}

TEST(Scope, FitsExactly) {
  alignas(16) char buffer[64];
  arena<null_resource> a(buffer, sizeof buffer);
  for (int round = 0; round < 2; ++round) {
    scope s(a);
    EXPECT_EQ(static_cast<void*>(&s.make<std::array<char, 64>>()), buffer);
    auto inner = s.child();  // when the arena is exactly full
    EXPECT_THROW(inner.make<char>(), arena_exhausted);
    EXPECT_EQ(inner.remaining(), 0u);
  }
}

TEST(Scope, ExhaustionNamesTheRequestAndTheBytesThatRemain) {
  fixed_arena a(100);
  scope s(a);
  s.make<std::array<char, 60>>();
  try {
    s.make<std::array<std::uint64_t, 8>>();
    FAIL() << "there was room";
  } catch (const arena_exhausted& e) {
    EXPECT_STREQ(e.what(), "arena exhausted: no room for 64 bytes at alignment 8, 40 bytes remain");
  }
  std::vector<int> log;
  try {
    s.make<witness<100>>(log, 1);
    FAIL() << "there was room";
  } catch (const arena_exhausted& e) {
    EXPECT_NE(std::string_view(e.what()).find("for 112 bytes at alignment 8, 40 bytes remain"),
              std::string_view::npos)
        << e.what();
  }
  s.make<std::array<char, 40>>();
}

TEST(Scope, Nest) {
  std::vector<int> log;
  arena a;
  scope outer(a, "outer");
  outer.make<witness<>>(log, 1);
  const std::size_t used = a.stats().used_bytes;
  {
    auto inner = outer.child("inner");
    inner.make<witness<>>(log, 2);
    auto innermost = inner.child();
    innermost.make<witness<100'000>>(log, 3);
  }
  EXPECT_EQ(log, (std::vector{3, 2}));
  EXPECT_EQ(a.stats().used_bytes, used);
  {
    auto second = outer.child();  // after its sibling has closed
    second.make<witness<>>(log, 4);
  }
  outer.make<witness<>>(log, 5);
  outer.reset();
  EXPECT_EQ(log, (std::vector{3, 2, 4, 5, 1}));
  outer.make<witness<>>(log, 6);
}

TEST(Scope, RepeatedScopesDoNotCallUpstream) {
  watched_upstream up;
  arena a(up);
  for (int i = 0; i < 100; ++i) {
    if (i == 3) up.calls = 0;
    scope s(a);
    for (int j = 0; j < 100; ++j) s.make<std::array<char, 1000>>();
  }
  EXPECT_EQ(up.calls, 0);
}

TEST(Scope, ServesContainersAsAResource) {
  arena a;
  scope s(a);
  void* p = s.allocate(10, 1);
  EXPECT_TRUE(s.try_expand(p, 10, 20));
  s.deallocate(p, 20);
  EXPECT_EQ(s.allocate(1, 1), p);
}

/// Random objects in random nests of scopes. All are destroyed, in reverse order.
void grow_at_random(auto&& s, std::mt19937& random, int depth) {
  std::vector<int> log, expected;
  for (int i = 0; i < 30; ++i) {
    const auto kind = random() % 6;
    if (kind < 2) s.template make<witness<1>>(log, i);
    if (kind == 2) s.template make<witness<3000>>(log, i);
    if (kind <= 2) expected.insert(expected.begin(), i);
    if (kind == 3) s.template make_array<char>(random() % 100);
    if (kind == 4) s.template make_span<std::string>(random() % 4);
    if (kind == 5 && depth > 0) grow_at_random(s.child(), random, depth - 1);
  }
  EXPECT_TRUE(log.empty());
  s.reset();
  EXPECT_EQ(log, expected);
}

TEST(ScopeModel, RandomNests) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    watched_upstream up;
    arena a(up);
    grow_at_random(scope(a), random, 3);
    EXPECT_EQ(a.stats().used_bytes, 0u);
  }
}

/// Runs code when it is made and when it ends.
struct coded {
  std::string text = std::string(40, 'c');
  std::function<void()> at_end;
  explicit coded(std::function<void()> end, const std::function<void()>& start = {})
      : at_end(std::move(end)) {
    if (start) start();
  }
  ~coded() {
    if (at_end) at_end();
  }
};

TEST(ScopeReentry, DestructorsMakeObjects) {
  arena a;
  int ended = 0;
  scope s(a);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i)
      s.make<coded>([&] {
        s.make<coded>([&] { s.make<coded>([&] { ++ended; }); });
        s.make<coded>([&] { ++ended; });
      });
    s.reset();
    EXPECT_EQ(ended, 6 * (round + 1));
  }
}

TEST(ScopeReentryDeathTest, AnObjectMustNotResetItsScope) {
  arena a;
  scope s(a);
  EXPECT_DEATH(s.make<coded>(std::function<void()>(), [&] { s.reset(); }),
               "scope reset by the constructor of an object that is made in it");
  const auto code = [&] {
    s.make<coded>([&] { s.reset(); });
    s.reset();
  };
  EXPECT_DEATH(code(), "scope reset by a destructor of one of its objects");
}

}  // namespace
}  // namespace heapsmith
