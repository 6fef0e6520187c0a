// counting, limiting, logging and fallback: each adds a property and changes nothing else.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "heapsmith/counting.hpp"
#include "heapsmith/fallback.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/logging.hpp"
#include "heapsmith/pool_resource.hpp"
#include "support/bump_buffer.hpp"
#include "support/strict_upstream.hpp"

namespace heapsmith {
namespace {

// A decorator has the operations of its resource, except those whose bytes it cannot count.
template <class R, template <class> class Decorator>
inline constexpr bool has_operations_of =
    expanding_resource<Decorator<R>> == expanding_resource<R> &&
    reallocating_resource<Decorator<R>> == reallocating_resource<R> &&
    owning_resource<Decorator<R>> == owning_resource<R> &&
    releasing_resource<Decorator<R>> == releasing_resource<R> &&
    resettable_resource<Decorator<R>> == resettable_resource<R>;
template <class R>
using logged = logging<R>;
template <template <class> class Decorator>
inline constexpr bool has_all_operations =
    has_operations_of<global_heap, Decorator> && has_operations_of<bump_buffer<9>, Decorator> &&
    has_operations_of<unsynchronized_pool<>, Decorator>;
static_assert(has_all_operations<counting> && has_all_operations<limiting> &&
              has_all_operations<logged>);
static_assert(!generous_resource<counting<global_heap>> &&
              !generous_resource<limiting<global_heap>> && generous_resource<logged<global_heap>>);

TEST(Decorator, NullIsNoBlock) {
  counting<limiting<global_heap>> counted(std::size_t{1000});
  void* const p = counted.allocate(600);
  counted.deallocate(nullptr, 600);
  EXPECT_EQ(counted.stats().deallocations, 0u);
  EXPECT_EQ(counted.stats().in_use_bytes, 600u);
  EXPECT_EQ(counted.try_allocate(600), nullptr) << "the limit counted null as a block";
  counted.deallocate(p, 600);
}

TEST(Counting, CountsBlocksAndBytes) {
  counting<global_heap> r;
  void* a = r.allocate(100, 16);
  void* b = r.try_allocate(50, 16);
  EXPECT_EQ(r.stats().in_use_bytes, 150u);
  r.deallocate(b, 50, 16);
  a = r.reallocate(a, 100, 300, 16);
  EXPECT_TRUE(r.try_expand(a, 300, 301, 16));
  EXPECT_EQ(r.stats().allocations, 2u);
  EXPECT_EQ(r.stats().deallocations, 1u);
  EXPECT_EQ(r.stats().in_use_blocks(), 1u);
  EXPECT_EQ(r.stats().resizes, 2u);
  EXPECT_EQ(r.stats().in_use_bytes, 301u);
  EXPECT_EQ(r.stats().peak_bytes, 301u);
  r.deallocate(a, 301, 16);
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_EQ(r.stats().refusals, 0u);
}

TEST(Counting, RefusalsAreCountedSeparately) {
  counting<bump_buffer<100>> r;
  EXPECT_EQ(r.try_allocate(101, 1), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(101, 1)), std::bad_alloc);
  EXPECT_EQ(r.stats().refusals, 2u);
  EXPECT_EQ(r.stats().allocations, 0u);
  EXPECT_EQ(r.stats().peak_bytes, 0u);
}

TEST(Counting, BlocksEndedByResetAreNotInUse) {
  counting<bump_buffer<100>> r;
  static_cast<void>(r.allocate(30, 1));
  static_cast<void>(r.allocate(40, 1));
  r.reset();
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_EQ(r.stats().in_use_blocks(), 0u);
  EXPECT_EQ(r.stats().peak_bytes, 70u);
  EXPECT_EQ(r.base().live, 0);
}

TEST(Counting, Example) {
  counting<default_resource> counted;
  {
    unsynchronized_pool pool(counted);
    for (int i = 0; i < 1000; ++i) pool.deallocate(pool.allocate(64), 64);
  }
  EXPECT_EQ(counted.stats().allocations, 1u);
  EXPECT_EQ(counted.stats().in_use_bytes, 0u);
}

TEST(Limiting, RefusesRequestsAboveTheLimit) {
  limiting<global_heap> r(1000);
  void* a = r.allocate(600, 16);
  EXPECT_EQ(r.try_allocate(401, 16), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(401, 16)), std::bad_alloc);
  volatile std::size_t most = SIZE_MAX;  // hides the value from compiler warnings
  EXPECT_EQ(r.try_allocate(most, 16), nullptr);
  void* b = r.allocate(400, 16);
  EXPECT_EQ(r.in_use_bytes(), 1000u);
  EXPECT_THROW(static_cast<void>(r.reallocate(a, 600, 601, 16)), std::bad_alloc);
  EXPECT_FALSE(r.try_expand(a, 600, 601, 16));
  a = r.reallocate(a, 600, 200, 16);
  b = r.reallocate(b, 400, 800, 16);
  EXPECT_EQ(r.in_use_bytes(), 1000u);
  r.deallocate(a, 200, 16);
  r.deallocate(b, 800, 16);
  EXPECT_EQ(r.in_use_bytes(), 0u);
}

TEST(Limiting, ALowerLimitKeepsBlocks) {
  limiting<global_heap> r(1000);
  void* a = r.allocate(600, 16);
  r.set_limit(500);
  EXPECT_EQ(r.try_allocate(0, 16), nullptr);
  EXPECT_EQ(r.try_allocate(1, 16), nullptr);
  r.deallocate(a, 600, 16);
  r.deallocate(r.allocate(500, 16), 500, 16);
}

TEST(Limiting, RefusedRequestsDoNotCountAgainstTheLimit) {
  limiting<bump_buffer<100>> r(1000);
  EXPECT_EQ(r.try_allocate(101, 1), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(101, 1)), std::bad_alloc);
  EXPECT_EQ(r.in_use_bytes(), 0u);
  static_cast<void>(r.allocate(100, 1));
  r.reset();
  EXPECT_EQ(r.in_use_bytes(), 0u);
}

TEST(Limiting, ComposesWithCounting) {
  limiting<counting<global_heap>> r(100);
  EXPECT_EQ(r.try_allocate(101, 1), nullptr);
  r.deallocate(r.allocate(100, 1), 100, 1);
  EXPECT_EQ(r.base().stats().allocations, 1u);
  EXPECT_EQ(r.base().stats().refusals, 0u) << "requests over the limit do not reach the resource";
}

struct recorder {
  std::vector<resource_event>* events;
  void operator()(const resource_event& e) const { events->push_back(e); }
};

TEST(Logging, ReportsEveryCall) {
  std::vector<resource_event> events;
  logging<global_heap, recorder> r(recorder{&events});
  void* a = r.allocate(100, 16);
  void* b = r.reallocate(a, 100, 100'000, 16);
  EXPECT_FALSE(r.try_expand(b, 100'000, std::size_t{1} << 61, 16));
  r.deallocate(b, 100'000, 16);
  EXPECT_EQ(r.try_allocate(std::size_t{1} << 62, 16), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(std::size_t{1} << 62, 16)), std::bad_alloc);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0].call, resource_call::allocate);
  EXPECT_EQ(events[0].pointer, a);
  EXPECT_EQ(events[1].call, resource_call::reallocate);
  EXPECT_EQ(events[1].old_pointer, a);
  EXPECT_EQ(events[1].pointer, b);
  EXPECT_EQ(events[1].old_bytes, 100u);
  EXPECT_EQ(events[2].call, resource_call::expand);
  EXPECT_EQ(events[2].pointer, nullptr);
  EXPECT_EQ(events[3].call, resource_call::deallocate);
  EXPECT_EQ(events[3].bytes, 100'000u);
  EXPECT_EQ(events[4].pointer, nullptr);
  EXPECT_EQ(events[5].pointer, nullptr);
  EXPECT_EQ(events[5].bytes, std::size_t{1} << 62);
}

TEST(Logging, PrintsLines) {
  std::FILE* to = std::tmpfile();
  logging<bump_buffer<100>> r{event_printer(to)};
  r.deallocate(r.allocate(5, 4), 5, 4);
  r.reset();
  std::string lines(500, '\0');
  std::rewind(to);
  lines.resize(std::fread(lines.data(), 1, lines.size(), to));
  std::fclose(to);
  EXPECT_EQ(lines.find("allocate 0x"), 0u) << lines;
  EXPECT_NE(lines.find(" 5 align 4\ndeallocate 0x"), std::string::npos) << lines;
  EXPECT_NE(lines.find("\nreset\n"), std::string::npos) << lines;
}

TEST(Fallback, UsesTheSecondIfTheFirstIsFull) {
  bump_buffer<100> first;
  strict_upstream second;
  fallback r(first, second);
  static_assert(std::is_same_v<decltype(r), fallback<bump_buffer<100>, strict_upstream>>);
  void* a = r.allocate(80, 1);
  void* b = r.allocate(80, 1);
  void* c = r.try_allocate(80, 1);
  EXPECT_TRUE(first.owns(a));
  EXPECT_EQ(second.held_blocks(), 2u);
  r.deallocate(a, 80, 1);
  EXPECT_EQ(first.live, 0);
  r.deallocate(b, 80, 1);
  r.deallocate(c, 80, 1);
  second.limit_bytes = 0;
  EXPECT_EQ(r.try_allocate(80, 1), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(80, 1)), std::bad_alloc);
}

TEST(Fallback, GrowingBlocksMoveToTheSecond) {
  bump_buffer<100> first;
  strict_upstream second;
  fallback r(first, second);
  void* p = r.allocate(60, 1);
  std::memset(p, 9, 60);
  p = r.reallocate(p, 60, 5000, 1);
  EXPECT_EQ(first.live, 0);
  EXPECT_EQ(second.held_bytes(), 5000u);
  EXPECT_EQ(static_cast<unsigned char*>(p)[59], 9);
  first.reset();
  p = r.reallocate(p, 5000, 10, 1);
  EXPECT_EQ(first.live, 0) << "blocks of the second stay there";
  EXPECT_EQ(static_cast<unsigned char*>(p)[9], 9);
  r.deallocate(p, 10, 1);
}

TEST(Fallback, HandlesAreCopied) {
  bump_buffer<100> first;
  fallback r(first, default_resource());
  static_assert(std::is_same_v<decltype(r), fallback<bump_buffer<100>>>);
  static_assert(!owning_resource<decltype(r)> && !expanding_resource<decltype(r)>);
  r.deallocate(r.allocate(1000, 64), 1000, 64);
}

}  // namespace
}  // namespace heapsmith
