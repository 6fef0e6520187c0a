// The allocators in the containers of the standard library: lengths, alignment, propagation.
#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>
#include <scoped_allocator>
#include <string>
#include <unordered_map>
#include <vector>

#include "heapsmith/allocator.hpp"
#include "heapsmith/counting.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/resource_ref.hpp"

namespace heapsmith {
namespace {

using pool = unsynchronized_pool<>;
#if defined(_WIN32)
template <class T>
using heap_allocator = resource_allocator<T, global_heap>;
#else
template <class T>
using heap_allocator = allocator<T>;
#endif
template <class T>
using pool_allocator = resource_allocator<T, pool>;

struct alignas(256) over_aligned {
  unsigned char value[256];
};

template <class Allocator>
void serves_containers(const Allocator& a) {
  using traits = std::allocator_traits<Allocator>;
  using text =
      std::basic_string<char, std::char_traits<char>, typename traits::template rebind_alloc<char>>;
  using pair = std::pair<const int, text>;
  std::map<int, text, std::less<int>, typename traits::template rebind_alloc<pair>> ordered(a);
  std::unordered_map<int, text, std::hash<int>, std::equal_to<int>,
                     typename traits::template rebind_alloc<pair>>
      hashed(a);
  std::deque<int, typename traits::template rebind_alloc<int>> queue(a);
  std::vector<over_aligned, typename traits::template rebind_alloc<over_aligned>> aligned(a);
  for (int i = 0; i < 1000; ++i) {
    const text t(std::to_string(i) + " is a number in a string that is not short", a);
    ordered.emplace(i, t);
    hashed.emplace(i, t);
    queue.push_back(i);
    aligned.emplace_back();
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&aligned.back()) % 256, 0u);
  }
  for (int i = 0; i < 1000; i += 2) ordered.erase(i), hashed.erase(i), queue.pop_front();
  EXPECT_EQ(ordered.at(501), hashed.at(501));
  EXPECT_EQ(queue.front(), 500);
}

TEST(Allocator, ServesContainers) {
  serves_containers(heap_allocator<int>());
}

TEST(ResourceAllocator, ServesContainers) {
  pool p;
  serves_containers(pool_allocator<int>(p));
  serves_containers(resource_allocator<int, default_resource>());
  serves_containers(resource_allocator<int, resource_ref>(p));
}

TEST(Allocator, Example) {
  std::vector<int, heap_allocator<int>> numbers(1000);
  EXPECT_EQ(numbers[999], 0);
}

TEST(Allocator, HasNoState) {
  static_assert(std::is_empty_v<heap_allocator<int>>);
  static_assert(std::allocator_traits<heap_allocator<int>>::is_always_equal::value);
  static_assert(sizeof(std::vector<int, heap_allocator<int>>) == sizeof(std::vector<int>));
  EXPECT_TRUE(heap_allocator<int>() == heap_allocator<double>());
  const heap_allocator<int> from_another = heap_allocator<double>();
  EXPECT_TRUE(from_another == heap_allocator<int>());
}

template <class A>
void refuses_lengths(A a) {
  constexpr std::size_t most = SIZE_MAX;
  EXPECT_THROW(static_cast<void>(a.allocate(most / sizeof(typename A::value_type) + 1)),
               std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(a.allocate_at_least(most)), std::bad_array_new_length);
}

TEST(Allocator, RefusesLengthsThatOverflow) {
  refuses_lengths(heap_allocator<int>());
  refuses_lengths(heap_allocator<over_aligned>());
  pool p;
  refuses_lengths(pool_allocator<int>(p));
  volatile std::size_t most = SIZE_MAX;  // hides the value from compiler warnings
  EXPECT_THROW(static_cast<void>(heap_allocator<char>().allocate(most)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(heap_allocator<int>().allocate(most / 4)), std::bad_alloc);
}

TEST(Allocator, AllocateAtLeastReturnsTheUsableNumber) {
  heap_allocator<int> a;
  const auto got = a.allocate_at_least(9);
  EXPECT_GE(got.count, 9u);
  EXPECT_EQ(got.count, hs_malloc_usable_size(got.ptr) / sizeof(int));
  std::fill_n(got.ptr, got.count, 1);
  a.deallocate(got.ptr, got.count);

  pool p;
  pool_allocator<int> b(p);
  const auto more = b.allocate_at_least(33);  // 132 bytes, of a class of 160
  EXPECT_EQ(more.count, 40u);
  std::fill_n(more.ptr, more.count, 1);
  b.deallocate(more.ptr, 35);

  counting<default_resource> plain;
  resource_allocator<int, counting<default_resource>> c(plain);
  const auto exact = c.allocate_at_least(33);
  EXPECT_EQ(exact.count, 33u);
  c.deallocate(exact.ptr, exact.count);
}

TEST(ResourceAllocator, Example) {
  pool p;
  using node_allocator = resource_allocator<int, unsynchronized_pool<>>;
  std::list<int, node_allocator> numbers{node_allocator(p)};
  numbers.push_back(1);
  EXPECT_EQ(p.stats().pieces, 1u);
}

TEST(ResourceAllocator, EqualIfTheResourceIsTheSame) {
  pool a, b;
  EXPECT_TRUE(pool_allocator<int>(a) == pool_allocator<double>(a));
  EXPECT_FALSE(pool_allocator<int>(a) == pool_allocator<int>(b));
  EXPECT_TRUE(
      (resource_allocator<int, resource_ref>(a) == resource_allocator<int, resource_ref>(a)));
  EXPECT_FALSE(
      (resource_allocator<int, resource_ref>(a) == resource_allocator<int, resource_ref>(b)));
  static_assert(!std::allocator_traits<pool_allocator<int>>::is_always_equal::value);
  static_assert(
      std::allocator_traits<resource_allocator<int, default_resource>>::is_always_equal::value);
}

TEST(ResourceAllocator, MoveAssignmentMovesTheResource) {
  pool a, b;
  std::vector<int, pool_allocator<int>> from(100, 1, a), to(10, 2, b);
  const int* first = from.data();
  to = std::move(from);
  EXPECT_EQ(to.data(), first) << "no element moved";
  EXPECT_EQ(&to.get_allocator().base(), &a);
}

TEST(ResourceAllocator, SwapSwapsTheResources) {
  pool a, b;
  std::list<int, pool_allocator<int>> x({1, 2}, a), y({3}, b);
  const int* first = &x.front();
  swap(x, y);
  EXPECT_EQ(&y.front(), first);
  EXPECT_EQ(&y.get_allocator().base(), &a);
  EXPECT_EQ(&x.get_allocator().base(), &b);
}

TEST(ResourceAllocator, CopyAssignmentKeepsTheResource) {
  pool a, b;
  const std::vector<int, pool_allocator<int>> from(100, 1, a);
  std::vector<int, pool_allocator<int>> to(10, 2, b);
  to = from;
  EXPECT_EQ(to, from);
  EXPECT_EQ(&to.get_allocator().base(), &b);
  const auto copy = from;
  EXPECT_EQ(&copy.get_allocator().base(), &a);
  const std::vector<int, pool_allocator<int>> elsewhere(from, pool_allocator<int>(b));
  EXPECT_EQ(&elsewhere.get_allocator().base(), &b);
}

TEST(ResourceAllocator, MovingToAnotherResourceMovesElements) {
  pool a, b;
  std::vector<int, pool_allocator<int>> from(100, 1, a);
  const int* first = from.data();
  const std::vector<int, pool_allocator<int>> to(std::move(from), pool_allocator<int>(b));
  EXPECT_NE(to.data(), first);
  EXPECT_EQ(to.size(), 100u);
}

TEST(ResourceAllocator, SplicesAndMergesWithinOneResource) {
  pool p;
  std::list<int, pool_allocator<int>> x({1, 3}, p), y({2, 4}, p);
  const int* two = &y.front();
  x.merge(y);
  EXPECT_EQ(x, (std::list<int, pool_allocator<int>>({1, 2, 3, 4}, p)));
  EXPECT_EQ(&*std::next(x.begin()), two);
  y.splice(y.begin(), x, x.begin());
  EXPECT_EQ(y.front(), 1);

  std::map<int, int, std::less<>, pool_allocator<std::pair<const int, int>>> m(p), n(p);
  m[1] = 1;
  n.insert(m.extract(1));
  EXPECT_EQ(n.at(1), 1);
}

TEST(ResourceAllocator, NestedContainersGetTheResource) {
  pool p;
  using text = std::basic_string<char, std::char_traits<char>, pool_allocator<char>>;
  std::vector<text, std::scoped_allocator_adaptor<pool_allocator<text>>> texts{
      pool_allocator<text>(p)};
  texts.emplace_back("a text that is too long for the string itself");
  EXPECT_EQ(&texts[0].get_allocator().base(), &p);
}

}  // namespace
}  // namespace heapsmith
