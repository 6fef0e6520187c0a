// Scopes: what is made in them, how it ends, and that nothing is left of what failed.
#include "heapsmith/scope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "arena/watched_upstream.hpp"
#include "heapsmith/inline_arena.hpp"

namespace heapsmith {
namespace {

static_assert(resource<scope<>> && expanding_resource<scope<>> && resettable_resource<scope<>>);
static_assert(!std::is_copy_constructible_v<scope<>> && !std::is_move_constructible_v<scope<>>);

/// Writes its number into a log when it is destroyed.
template <std::size_t Bytes = 8>
struct witness {
  witness(std::vector<int>& log, int number) : log(&log), number(number) {}
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { log->push_back(number); }

  std::vector<int>* log;
  int number;
  char load[Bytes] = {};
};

/// Throws when its number is the one that must fail.
struct fragile {
  explicit fragile(std::vector<int>& log, int number = 0) : log(&log), number(number) {
    if (number == 13) throw std::runtime_error("13");
  }
  fragile() : fragile(*shared_log, next++) {}
  ~fragile() { log->push_back(number); }

  static inline std::vector<int>* shared_log = nullptr;
  static inline int next = 0;
  std::vector<int>* log;
  int number;
};

std::vector<int> downwards(int from, int to) {
  std::vector<int> out;
  for (int i = from; i >= to; --i) out.push_back(i);
  return out;
}

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

TEST(Scope, GivesTheArenaBackAsItWas) {
  watched_upstream up;
  arena a(up);
  void* const before = a.allocate(10, 1);
  const arena_stats was = a.stats();
  for (int round = 0; round < 3; ++round) {
    scope s(a);
    for (int i = 0; i < 1000; ++i) s.make<std::array<char, 100>>();
    EXPECT_GE(a.stats().used_bytes, 100'000u) << "the arena tells what its scope uses";
    EXPECT_TRUE(a.owns(before));
  }
  EXPECT_EQ(a.stats().used_bytes, was.used_bytes);
  EXPECT_EQ(a.allocate(1, 1), static_cast<char*>(before) + 10);
  EXPECT_LE(up.blocks(), 2u);
}

TEST(Scope, TrivialObjectsCostTheirBytesAlone) {
  arena a;
  scope s(a);
  char* const first = &s.make<char>('a');
  EXPECT_EQ(&s.make<char>('b'), first + 1);
  EXPECT_EQ(reinterpret_cast<char*>(&s.make<std::int64_t>(1)) - first, 8);
  EXPECT_EQ(reinterpret_cast<char*>(&s.make<char>('c')) - first, 16);
}

TEST(Scope, NeighboursOfOneTypeShareAnEntry) {
  arena a;
  std::vector<int> log;
  scope s(a);
  auto* first = &s.make<witness<>>(log, 0);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(&s.make<witness<>>(log, i), first + i);
  EXPECT_LT(a.stats().used_bytes, 100 * sizeof(witness<>) + 40);
}

TEST(Scope, FitsExactly) {
  alignas(16) char buffer[64];
  arena<null_resource> a(buffer, sizeof buffer);
  for (int round = 0; round < 2; ++round) {
    scope s(a);
    EXPECT_EQ(static_cast<void*>(&s.make<std::array<char, 64>>()), buffer);
    scope inner(s);  // on an exactly full block
    EXPECT_THROW(inner.make<char>(), arena_exhausted);
    EXPECT_EQ(inner.remaining(), 0u);
  }
}

TEST(Scope, SaysWhatWasAskedForAndWhatRemains) {
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

TEST(Scope, EmptyTypesAndEmptyArrays) {
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

TEST(Scope, OverAlignedTypes) {
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

TEST(Scope, AnExceptionOfAConstructorLeavesNothing) {
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

TEST(Scope, AnArrayIsMadeWholeOrNotAtAll) {
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

TEST(Scope, ArraysAndSpans) {
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

/// Its constructor makes objects in the same scope: they are complete before it is.
struct nested {
  nested(scope<>& s, std::vector<int>& log, int depth) : self(log, depth) {
    if (depth > 0) child = &s.make<nested>(s, log, depth - 1);
    if (depth > 0 && depth % 2 == 0) s.make<witness<>>(log, depth + 100);
  }
  witness<> self;
  nested* child = nullptr;
};

TEST(Scope, ConstructorsMayMakeObjects) {
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

TEST(Scope, DestructorsMayMakeObjectsToo) {
  std::vector<int> log;
  arena a;
  {
    scope s(a);
    s.make<witness<>>(log, 1);
    s.make<posthumous>(s, log);
  }
  EXPECT_EQ(log, (std::vector{7, 1}));
}

TEST(Scope, NoRoomForALateEntryDestroysTheObject) {
  struct greedy {
    greedy(scope<null_resource>& s, std::vector<int>& log) : self(log, 1) {
      s.make<witness<>>(log, 2);
      static_cast<void>(s.allocate(s.remaining(), 1));
    }
    witness<> self;
  };
  std::vector<int> log;
  {
    fixed_arena a(1000);
    scope s(a);
    EXPECT_THROW(s.make<greedy>(s, log), arena_exhausted);
    EXPECT_EQ(log, (std::vector{1}));
  }
  EXPECT_EQ(log, (std::vector{1, 2}));
}

TEST(Scope, Nest) {
  std::vector<int> log;
  arena a;
  scope outer(a, "outer");
  outer.make<witness<>>(log, 1);
  const std::size_t used = a.stats().used_bytes;
  {
    scope inner(outer, "inner");
    inner.make<witness<>>(log, 2);
    scope innermost(inner);
    innermost.make<witness<100'000>>(log, 3);
  }
  EXPECT_EQ(log, (std::vector{3, 2}));
  EXPECT_EQ(a.stats().used_bytes, used);
  {
    scope second(outer);  // after its sibling, not beside it
    second.make<witness<>>(log, 4);
  }
  outer.make<witness<>>(log, 5);
  outer.reset();
  EXPECT_EQ(log, (std::vector{3, 2, 4, 5, 1}));
  outer.make<witness<>>(log, 6);
}

TEST(Scope, AScopeOpenedAgainAndAgainLeavesUpstreamAlone) {
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

/// Random objects in random nests of scopes: all are destroyed, in reverse of how they were made.
void grow_at_random(auto& parent, std::mt19937& random, int depth) {
  std::vector<int> log, expected;
  scope s(parent);
  for (int i = 0; i < 30; ++i) {
    const auto kind = random() % 6;
    if (kind < 2) s.template make<witness<1>>(log, i);
    if (kind == 2) s.template make<witness<3000>>(log, i);
    if (kind <= 2) expected.insert(expected.begin(), i);
    if (kind == 3) s.template make_array<char>(random() % 100);
    if (kind == 4) s.template make_span<std::string>(random() % 4);
    if (kind == 5 && depth > 0) grow_at_random(s, random, depth - 1);
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
    grow_at_random(a, random, 3);
    EXPECT_EQ(a.stats().used_bytes, 0u);
  }
}

}  // namespace
}  // namespace heapsmith
