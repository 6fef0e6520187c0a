// Objects and containers in arenas.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "heapsmith/arena.hpp"
#include "heapsmith/arena_containers.hpp"
#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/null_resource.hpp"
#include "heapsmith/scope.hpp"

namespace heapsmith {
namespace {

struct point {
  int x, y;
};

static_assert(std::is_empty_v<detail::object_maker<arena<>>>);

TEST(ArenaMake, ConstructsObjectsFromArguments) {
  alignas(16) char buffer[16];
  arena<null_resource> a(buffer, sizeof buffer);
  point& p = a.make<point>(1, 2);
  EXPECT_EQ(p.x + p.y, 3);
  EXPECT_EQ(static_cast<void*>(&p), buffer);
  EXPECT_NE(a.try_make<point>(), nullptr);
  EXPECT_EQ(a.try_make<point>(), nullptr);
  EXPECT_THROW(a.make<char>(), arena_exhausted);
}

TEST(ArenaMake, ValueInitialisesArrays) {
  arena a;
  std::uint64_t* const dirty = static_cast<std::uint64_t*>(a.allocate(800, 8));
  std::fill_n(dirty, 100, ~std::uint64_t{0});
  a.reset();
  const std::span<std::uint64_t> zeros = a.make_span<std::uint64_t>(100);
  EXPECT_EQ(zeros.data(), dirty);
  EXPECT_EQ(std::accumulate(zeros.begin(), zeros.end(), std::uint64_t{0}), 0u);
  EXPECT_EQ(a.make_array<point>(3)[2].y, 0);
  EXPECT_EQ(a.make_span<point>(0).size(), 0u);
}

TEST(ArenaMake, CopiesRanges) {
  arena a;
  const std::vector<point> points = {{1, 2}, {3, 4}};
  EXPECT_EQ(a.make_span(points)[1].y, 4);
  const auto copy = a.make_span(std::string_view("text"));
  EXPECT_EQ(std::string_view(copy.data(), copy.size()), "text");
  EXPECT_EQ(a.make_span(std::string_view()).size(), 0u);
  EXPECT_EQ(a.make_span(std::list<int>{1, 2, 3})[2], 3) << "not side by side";
  EXPECT_EQ(a.make_span(std::vector<const char*>(5, "text"))[4][3], 't');
}

TEST(ArenaMake, TryFormsReturnNothingIfThereIsNoMemory) {
  inline_arena<100, null_resource> a;
  EXPECT_EQ(a.try_make_array<int>(26), nullptr);
  EXPECT_EQ(a.try_make_span<int>(26).data(), nullptr);
  EXPECT_EQ(a.try_make_span(std::array<int, 26>()).data(), nullptr);
  volatile std::size_t overflow = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_EQ(a.try_make_array<int>(overflow), nullptr);
  EXPECT_THROW(a.make_array<int>(overflow), std::bad_array_new_length);
  EXPECT_EQ(a.try_make_span<int>(25).size(), 25u) << "a failed call changed something";
}

struct throwing {
  throwing() { throw std::runtime_error("no"); }
};

TEST(ArenaMake, FreesTheMemoryIfAConstructorThrows) {
  arena a;
  concurrent_arena c;
  void* const next = a.allocate(1, 1);
  EXPECT_THROW(a.make<throwing>(), std::runtime_error);
  EXPECT_THROW(a.make_array<throwing>(5), std::runtime_error);
  EXPECT_THROW(c.make<throwing>(), std::runtime_error);
  EXPECT_EQ(a.allocate(1, 1), static_cast<char*>(next) + 1);
}

TEST(ArenaMake, ManyThreadsMakeObjectsInAConcurrentArena) {
  concurrent_arena a;
  std::array<std::span<int>, 4> made;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      made[static_cast<std::size_t>(t)] = a.make_span<int>(100);
      for (int& i : made[static_cast<std::size_t>(t)]) i = t;
    });
  for (std::thread& t : threads) t.join();
  for (int t = 0; t < 4; ++t)
    for (const int i : made[static_cast<std::size_t>(t)]) EXPECT_EQ(i, t);
}

TEST(ArenaContainers, TakeTheirMemoryFromTheArena) {
  inline_arena<1000> a;
  arena_vector<int> numbers(a);
  numbers.reserve(20);
  for (int i = 0; i < 20; ++i) numbers.push_back(i);
  const arena_string text(100, 'x', a);
  EXPECT_TRUE(a.owns(numbers.data()) && a.owns(text.data()));
  scope s(a);
  const arena_vector<char, scope<>> inner(30, 'y', s);
  EXPECT_TRUE(a.owns(inner.data()));
}

}  // namespace
}  // namespace heapsmith
