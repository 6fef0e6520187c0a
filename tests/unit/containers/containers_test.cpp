// Containers over every kind of pool, by random steps against those of the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

struct entry {
  int key = 0;
  std::array<double, 3> payload = {};
  friend bool operator==(const entry&, const entry&) = default;
};
entry numbered(int n) {
  return {n, {n / 2.0, 1.0 * n, 7}};
}

template <class T, class... P>
using stable_pool = pool<T, policy::stable, P...>;
template <class T, class... P>
using short_pool = pool<T, policy::index<std::uint16_t>, P...>;

/// A kind of pool as a type, and how a container over it is made.
template <template <class, class...> class Pool>
struct kind {
  static constexpr bool is_fixed = Pool<int>::policy_type::is_fixed;
  static constexpr bool reuses = Pool<int>::policy_type::reuses;
  using list_type = list<entry, Pool>;
  using stack_type = stack<entry, Pool>;
  using queue_type = queue<entry, Pool>;
  using set_type = set<int, std::less<>, Pool>;
  using map_type = map<int, entry, std::less<>, Pool>;

  template <class Container>
  static Container make(std::size_t capacity) {
    if constexpr (is_fixed)
      return Container(capacity);
    else
      return Container();
  }
};

template <class Kind>
class Containers : public testing::Test {};
using kinds = testing::Types<kind<fixed_deque_pool>, kind<deque_pool>, kind<fixed_pool>, kind<pool>,
                             kind<soa_fixed_deque_pool>, kind<soa_deque_pool>, kind<soa_fixed_pool>,
                             kind<soa_pool>, kind<stable_pool>, kind<short_pool>>;
TYPED_TEST_SUITE(Containers, kinds);

TYPED_TEST(Containers, StackAndQueueMatchTheStandard) {
  constexpr std::size_t capacity = 100;
  auto s = TypeParam::template make<typename TypeParam::stack_type>(capacity);
  auto q = TypeParam::template make<typename TypeParam::queue_type>(capacity);
  std::vector<entry> stack_model;
  std::deque<entry> queue_model;
  std::mt19937 random(5);
  for (std::size_t k = 0, n = property_steps(20000); k < n; ++k) {
    const bool pushes = random() % 8 < (k / 500 % 2 == 0 ? 5u : 3u);
    if (pushes && stack_model.size() < capacity) {
      s.push(numbered(static_cast<int>(k)));
      stack_model.push_back(numbered(static_cast<int>(k)));
    } else if (!pushes && !stack_model.empty()) {
      ASSERT_EQ(entry(s.top()), stack_model.back());
      s.pop();
      stack_model.pop_back();
    }
    if (pushes && queue_model.size() < capacity) {
      q.push(numbered(static_cast<int>(k)));
      queue_model.push_back(numbered(static_cast<int>(k)));
    } else if (!pushes && !queue_model.empty()) {
      ASSERT_EQ(entry(q.front()), queue_model.front());
      ASSERT_EQ(entry(q.back()), queue_model.back());
      q.pop();
      queue_model.pop_front();
    }
    if (TypeParam::is_fixed && queue_model.size() == capacity) {
      ASSERT_FALSE(q.try_push(entry()));
    }
  }
  EXPECT_TRUE(std::equal(q.begin(), q.end(), queue_model.begin(), queue_model.end(),
                         [](const auto& a, const entry& b) { return entry(a) == b; }));
  EXPECT_EQ(s.check() + q.check(), 0);
  const auto copy = q.clone();
  EXPECT_EQ(copy.size(), queue_model.size());
}

TYPED_TEST(Containers, SetsAndMapsMatchTheStandard) {
  auto s = TypeParam::template make<typename TypeParam::set_type>(600);
  auto m = TypeParam::template make<typename TypeParam::map_type>(600);
  std::set<int> set_model;
  std::map<int, entry> map_model;
  std::mt19937 random(6);
  for (std::size_t k = 0, n = property_steps(20000); k < n; ++k) {
    const int key = static_cast<int>(random() % 500);
    const entry value = numbered(static_cast<int>(k));
    const bool erases = TypeParam::reuses && random() % 8 < (k / 2000 % 2 == 0 ? 3u : 5u);
    if (erases) {
      ASSERT_EQ(s.erase(key), set_model.erase(key));
      ASSERT_EQ(m.erase(key), map_model.erase(key));
    } else {
      ASSERT_EQ(s.insert(key).second, set_model.insert(key).second);
      ASSERT_EQ(m.insert_or_assign(key, value).second,
                map_model.insert_or_assign(key, value).second);
    }
    const auto bound = s.lower_bound(key);
    const auto expected = set_model.lower_bound(key);
    ASSERT_EQ(bound == s.end(), expected == set_model.end());
    if (bound != s.end()) {
      ASSERT_EQ(*bound, *expected);
    }
    if (k % 61 == 0) {
      ASSERT_EQ(s.check(), 0);
      ASSERT_EQ(m.check(), 0);
      ASSERT_TRUE(std::equal(s.begin(), s.end(), set_model.begin(), set_model.end()));
      ASSERT_TRUE(std::equal(m.begin(), m.end(), map_model.begin(), map_model.end(),
                             [](const auto& a, const auto& b) {
                               return a.first == b.first && entry(a.second) == b.second;
                             }))
          << "erasing a node with two children must not part keys from data";
    }
  }
  std::vector<int> backwards;
  for (auto it = s.end(); it != s.begin();) backwards.push_back(*--it);
  EXPECT_TRUE(std::equal(backwards.begin(), backwards.end(), set_model.rbegin(), set_model.rend()));
  EXPECT_EQ(s.min(), *set_model.begin());
  EXPECT_EQ(m.max().first, map_model.rbegin()->first);
}

TYPED_TEST(Containers, CopiesAndImagesHaveTheSameElements) {
  auto m = TypeParam::template make<typename TypeParam::map_type>(300);
  for (int i = 0; i < 300; ++i) m.insert(i * 37 % 300, numbered(i));
  for (int i = 0; i < 300; i += 3) m.erase(i);
  const auto copy = m.clone();
  EXPECT_EQ(copy.check(), 0);
  std::vector<std::byte> image(m.image_bytes());
  m.save(image);
  auto loaded = TypeParam::template make<typename TypeParam::map_type>(300);
  ASSERT_TRUE(loaded.load(image));
  EXPECT_EQ(loaded.check(), 0);
  EXPECT_EQ(loaded.size(), 200u);
  for (const auto& [key, value] : loaded) EXPECT_EQ(entry(value), entry(copy.at(key)));
  // Whatever byte is damaged: the image is refused, or what it gives is a sound map.
  for (std::size_t i = 0; i < image.size(); i += 13) {
    auto damaged = image;
    damaged[i] ^= std::byte{0x41};
    EXPECT_TRUE(!loaded.load(damaged) || loaded.check() == 0);
  }
}

TYPED_TEST(Containers, ListsShareTheirTails) {
  auto cells = TypeParam::template make<typename TypeParam::list_type>(100);
  auto tail = cells.nil();
  for (int i = 0; i < 10; ++i) tail = cells.cons(numbered(i), tail);
  const auto a = cells.cons(numbered(20), tail), b = cells.cons(numbered(30), tail);
  EXPECT_EQ(cells.length(a), 11u);
  EXPECT_EQ(cells.pool().size(), 12u);
  EXPECT_EQ(entry(cells.head(a)).key, 20);
  EXPECT_EQ(cells.tail(a), cells.tail(b));
  int expected = 9;
  for (const auto& e : cells.items(tail)) EXPECT_EQ(entry(e).key, expected--);
  if constexpr (TypeParam::reuses) {
    const std::array kept = {a};
    EXPECT_EQ(cells.collect(kept), 1u);
    EXPECT_EQ(cells.length(a), 11u);
    EXPECT_EQ(cells.collect({}), 11u);
  }
  EXPECT_EQ(cells.check(), 0);
  cells.clear();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) cells.push_front(numbered(i));
    for (int i = 99; i >= 0; --i) {
      ASSERT_EQ(entry(cells.front()), numbered(i));
      cells.pop_front();
    }
  }
}

TEST(Queue, AGrowableQueueThatRunsEmptyReusesItsMemory) {
  counting_upstream memory;
  queue<int, pool, policy::upstream<counting_upstream>> reusing(memory);
  queue<int, deque_pool, policy::upstream<counting_upstream>> plain(memory);
  std::size_t calls = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i) reusing.push(i), plain.push(i);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(reusing.front() == i && plain.front() == i);
      reusing.pop(), plain.pop();
    }
    if (round == 0) calls = memory.calls();
  }
  EXPECT_EQ(memory.calls(), calls);
  EXPECT_EQ(reusing.check() + plain.check(), 0);
}

TEST(Pool, AnEmptyPoolHasRoomAtEitherEndWithoutAMove) {
  counting_upstream memory;
  deque_pool<int, policy::keep_capacity, policy::upstream<counting_upstream>> p(memory);
  for (int i = 0; i < 16; ++i) p.emplace_back(i);
  for (int i = 0; i < 16; ++i) p.pop_front();
  for (int i = 0; i < 16; ++i) p.emplace_front(i);
  for (int i = 0; i < 16; ++i) p.pop_back();
  const auto first = p.emplace_back(7);
  EXPECT_EQ(p[first], 7);
  EXPECT_EQ(memory.calls(), 1u);
}

TEST(Set, AllocatesOnceAndTakesSixteenBytesANode) {
  static_assert(sizeof(set<int>::pool_type::value_type) - sizeof(int) <= 16);
  static_assert(sizeof(set<std::int64_t>::pool_type::value_type) - sizeof(std::int64_t) <= 16);
  counting_upstream memory;
  set<int, std::less<>, fixed_pool, policy::upstream<counting_upstream>> s(1000, memory);
  for (int i = 0; i < 1000; ++i) s.insert(i);
  EXPECT_EQ(memory.calls(), 1u);
  EXPECT_LE(memory.live_bytes(), 1000 * 16 + 1000 / 8 + 64u);
}

TEST(Set, BuildsABalancedTreeAndFindsOtherKeyTypes) {
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back(std::to_string(i));
  std::ranges::sort(words);
  set<std::string> s;
  s.build(words);
  EXPECT_EQ(s.check(), 0);
  EXPECT_EQ(s.height(), 10u);
  EXPECT_TRUE(s.contains(std::string_view("77")) && s.contains("123") && !s.contains("x"));
  EXPECT_TRUE(std::equal(s.begin(), s.end(), words.begin(), words.end()));
  const auto it = s.erase(s.find("5"));
  EXPECT_EQ(*it, "50");
  EXPECT_EQ(s.erase("no such"), 0u);
}

TEST(Set, StaysLowAfterErasures) {
  set<int> s;
  for (int i = 0; i < 1 << 14; ++i) s.insert(i);
  EXPECT_LE(s.height(), 20u);
  for (int i = 0; i < 1 << 14; ++i)
    if (i % 16 != 0) s.erase(i);
  EXPECT_EQ(s.check(), 0);
  EXPECT_LE(s.height(), 20u);
}

TEST(Set, HoldsAQuarterOfTheIndices) {
  set<int, std::less<>, short_pool> s;
  for (int i = 0; i < 16383; ++i) s.insert(i);
  EXPECT_THROW(s.insert(40000), std::bad_alloc);
  EXPECT_EQ(s.check(), 0);
  EXPECT_EQ(s.size(), 16383u);
}

TEST(Map, AtThrowsAndSubscriptsInsert) {
  map<std::string, int> m;
  EXPECT_THROW(static_cast<void>(m.at("a")), std::out_of_range);
  m["a"] = 5;
  ++m["a"];
  EXPECT_EQ(m.at("a"), 6);
  EXPECT_FALSE(m.insert("a", 9).second);
  EXPECT_EQ(m.begin()->second, 6);
  const auto moved = std::move(m);
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(moved.size(), 1u);
}

}  // namespace
}  // namespace heapsmith
