// Objects in scopes: where they lie, when they are destroyed, and that failures leave nothing.
#include "heapsmith/scope.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "heapsmith/inline_arena.hpp"
#include "scope/witness.hpp"

namespace heapsmith {
namespace {

TEST(ScopeMake, TrivialObjectsCostOnlyTheirBytes) {
  arena a;
  scope s(a);
  char* const first = &s.make<char>('a');
  EXPECT_EQ(&s.make<char>('b'), first + 1);
  EXPECT_EQ(reinterpret_cast<char*>(&s.make<std::int64_t>(1)) - first, 8);
  EXPECT_EQ(reinterpret_cast<char*>(&s.make<char>('c')) - first, 16);
}

TEST(ScopeMake, NeighboursOfOneTypeShareAnEntry) {
  arena a;
  std::vector<int> log;
  scope s(a);
  auto* first = &s.make<witness<>>(log, 0);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(&s.make<witness<>>(log, i), first + i);
  EXPECT_LT(a.stats().used_bytes, 100 * sizeof(witness<>) + 40);
}

TEST(ScopeMake, EmptyTypesAndEmptyArrays) {
  struct empty {};
  struct silent {
    ~silent() { ++count; }
    int& count;
  };
  int destroyed = 0;
  arena a;
  {
    scope s(a);
    empty* const first = &s.make<empty>();
    EXPECT_NE(&s.make<empty>(), first);
    EXPECT_TRUE(s.make_span<int>(0).empty());
    EXPECT_NE(s.make_array<int>(0), nullptr);
    EXPECT_TRUE(s.make_span<std::string>(0).empty());
    s.make<silent>(destroyed);
  }
  EXPECT_EQ(destroyed, 1);
}

template <std::size_t Align>
struct alignas(Align) aligned {
  explicit aligned(int& count) : count(count) {}
  ~aligned() { ++count; }
  int& count;
};

template <std::size_t Align>
void make_aligned(scope<>& s, int& count) {
  s.make<char>();
  auto& object = s.make<aligned<Align>>(count);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&object) % Align, 0u);
  s.make<aligned<Align>>(count);
}

TEST(ScopeMake, OverAlignedTypes) {
  int count = 0;
  arena a;
  {
    scope s(a);
    make_aligned<16>(s, count);
    make_aligned<64>(s, count);
    make_aligned<4096>(s, count);
    make_aligned<65536>(s, count);
  }
  EXPECT_EQ(count, 8);
}

TEST(ScopeMake, AThrowingConstructorLeavesNoObject) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    s.make<fragile>(log, 1);
    const std::size_t used = a.stats().used_bytes;
    EXPECT_THROW(s.make<fragile>(log, 13), std::runtime_error);
    EXPECT_EQ(a.stats().used_bytes, used);
    EXPECT_EQ(s.make<fragile>(log, 2).number, 2);
    s.make<int>();
    EXPECT_THROW(s.make<fragile>(log, 13), std::runtime_error) << "as the first of a run";
    s.make<fragile>(log, 3);
  }
  EXPECT_EQ(log, downwards(3, 1));
}

TEST(ScopeMake, AThrowingConstructorLeavesNoArray) {
  std::vector<int> log;
  fragile::shared_log = &log;
  arena a;
  {
    scope s(a);
    fragile::next = 0;
    s.make_array<fragile>(10);
    fragile::next = 10;
    EXPECT_THROW(s.make_array<fragile>(10), std::runtime_error);
    EXPECT_EQ(log, downwards(12, 10)) << "those made were destroyed at once";
    log.clear();
  }
  EXPECT_EQ(log, downwards(9, 0));
}

TEST(ScopeMake, ArraysAndSpans) {
  arena a;
  scope s(a);
  const std::span<int> zeroes = s.make_span<int>(1000);
  for (const int i : zeroes) EXPECT_EQ(i, 0);
  const std::vector<std::string> source = {"a", "b", std::string(100, 'c')};
  const std::span<std::string> copies = s.make_span(source);
  EXPECT_TRUE(std::ranges::equal(copies, source));
  const std::span<char> text = s.make_span(std::string_view("text"));
  EXPECT_EQ(std::string_view(text.data(), text.size()), "text");
  EXPECT_THROW(s.make_array<int>(SIZE_MAX / 4 + 1), std::bad_array_new_length);
  fixed_arena small(100);
  scope t(small);
  EXPECT_THROW(t.make_array<int>(std::size_t{1} << 60), arena_exhausted);
}

/// Its constructor makes objects in the same scope, which are complete before it.
struct nested {
  nested(scope<>& s, std::vector<int>& log, int depth) : self(log, depth) {
    if (depth > 0) child = &s.make<nested>(s, log, depth - 1);
    if (depth > 0 && depth % 2 == 0) s.make<witness<>>(log, depth + 100);
  }
  witness<> self;
  nested* child = nullptr;
};

TEST(ScopeMake, ConstructorsMayMakeObjects) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    s.make<nested>(s, log, 4);
    s.make<witness<>>(log, 1000);
  }
  EXPECT_EQ(log, (std::vector{1000, 4, 104, 3, 2, 102, 1, 0}));
}

struct posthumous {
  ~posthumous() { s.make<witness<>>(log, 7); }
  scope<>& s;
  std::vector<int>& log;
};

TEST(ScopeMake, DestructorsMayMakeObjects) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    s.make<witness<>>(log, 1);
    s.make<posthumous>(s, log);
  }
  EXPECT_EQ(log, (std::vector{7, 1}));
}

TEST(ScopeMake, NoRoomForALateEntryDestroysTheObject) {
  std::vector<int> log;
  {
    fixed_arena a(1000);
    scope s(a);
    EXPECT_THROW(s.make<greedy>(s, log), arena_exhausted);
    EXPECT_EQ(log, (std::vector{1}));
  }
  EXPECT_EQ(log, (std::vector{1, 2}));
}

}  // namespace
}  // namespace heapsmith
