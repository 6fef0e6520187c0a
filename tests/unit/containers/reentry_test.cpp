// Keys, values and comparisons that use the container that calls them.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"

namespace heapsmith {
namespace {

using action = std::function<void()>;

/// A value that runs code when it is made from another one, assigned to, and destroyed.
struct value {
  std::string text = std::string(40, 'v');
  action at_start, at_end;

  value() = default;
  explicit value(action start, action end = {})
      : at_start(std::move(start)), at_end(std::move(end)) {}
  value(value&& o) noexcept(false)
      : text(std::move(o.text)),
        at_start(std::exchange(o.at_start, {})),
        at_end(std::exchange(o.at_end, {})) {
    if (at_start) std::exchange(at_start, {})();
  }
  value& operator=(value&& o) {
    text = std::move(o.text);
    if (o.at_start) std::exchange(o.at_start, {})();
    at_end = std::exchange(o.at_end, {});
    text.push_back('=');
    return *this;
  }
  ~value() {
    if (at_end) std::exchange(at_end, {})();
    text.clear();
  }
};

template <class T, class... P>
using stable_pool = pool<T, policy::stable, P...>;
template <class T, class... P>
using stable_deque_pool = pool<T, policy::stable, policy::no_reuse, P...>;

using stable_map = map<int, value, std::less<>, stable_pool>;

std::string keys(const auto& m) {
  std::string all;
  for (const auto& [k, v] : m) {
    EXPECT_GE(v.text.size(), 40u);
    all += std::to_string(k) + ' ';
  }
  EXPECT_EQ(m.check(), 0);
  return all;
}

TEST(MapReentry, AConstructorOfAValueInsertsAndErases) {
  stable_map m;
  for (int k = 0; k < 100; k += 10) m.insert(k, value());
  m.insert(5, value([&] {
             for (int k = 1; k < 40; k += 2) m.insert(k, value());
             m.erase(0);
             m.erase(10);
           }));
  EXPECT_EQ(m.size(), 28u) << "5 was inserted by its own constructor first";
  EXPECT_EQ(keys(m).substr(0, 12), "1 3 5 7 9 11");
}

TEST(MapReentry, AConstructorThatThrowsHasChangedTheMap) {
  stable_map m;
  EXPECT_THROW(m.insert(1, value([&] {
                          m.insert(2, value());
                          throw std::runtime_error("no");
                        })),
               std::runtime_error);
  EXPECT_EQ(keys(m), "2 ");
  EXPECT_EQ(m.pool().size(), 1u);
}

TEST(MapReentry, AnAssignmentInsertsOrAborts) {
  stable_map m;
  m.insert(1, value());
  const auto code = [&] {
    for (int k = 2; k < 200; ++k) m.insert(k, value());
  };
  m.insert_or_assign(1, value(code));
  EXPECT_EQ(m.size(), 199u);
  map<int, std::string> moving;
  struct text {
    map<int, std::string>& m;
    operator std::string() const {
      for (int k = 2; k < 200; ++k) m.insert(k, std::string(40, 'x'));
      return std::string(40, 'y');
    }
  };
  moving.insert_or_assign(1, text{moving});
  moving.insert_or_assign(1, text{moving});
  EXPECT_EQ(moving.size(), 199u) << "conversions come before the element has its place";
  EXPECT_EQ(moving.check(), 0);
}

TEST(MapReentry, ADestructorInsertsAndErases) {
  stable_map m;
  for (int k = 0; k < 20; ++k)
    m.insert(k, value({}, [&, k] {
               m.insert(100 + k, value());
               if (k % 2 == 0) m.erase(k + 50);
             }));
  m.erase(4);
  m.erase(m.find(5));
  EXPECT_EQ(keys(m), "0 1 2 3 6 7 8 9 10 11 12 13 14 15 16 17 18 19 104 105 ");
  m.clear();
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(keys(m), "");
  m.insert(1, value({}, [&] { m.erase(2); }));
  m.insert(2, value());
  EXPECT_DEATH(m.erase(m.find(1)), "set or map: a destructor erased elements during erase");
  for (int k = 10; k < 15; ++k) m.insert(k, value({}, [&, k] { m.insert(k * 2, value()); }));
}  // ~map, too

struct branch {
  std::unique_ptr<map<int, branch>> children;
  int n = 0;
};

TEST(MapReentry, AMapMayLieInItsElement) {
  map<int, branch> m;
  m.insert(1, branch{std::make_unique<map<int, branch>>(), 1});
  m.at(1).children->insert(2, branch{nullptr, 7});
  m = std::move(*m.at(1).children);
  EXPECT_EQ(m.size(), 1u);
  EXPECT_EQ(m.at(2).n, 7);
  EXPECT_EQ(m.check(), 0);
  auto& same = m;
  m = std::move(same);
  EXPECT_EQ(m.size(), 1u);
}

struct comparison {
  action* code;
  bool operator()(int a, int b) const {
    if (*code) std::exchange(*code, {})();
    return a < b;
  }
};

TEST(SetReentry, AComparisonThatChangesTheSetAborts) {
  action code;
  set<int, comparison> s(comparison{&code});
  for (int k = 0; k < 100; k += 2) s.insert(k);
  for (const bool erases : {false, true}) {
    code = [&] { erases ? static_cast<void>(s.erase(50)) : static_cast<void>(s.insert(51)); };
    const char* line = "set or map: a comparison of keys changed the container";
    EXPECT_DEATH(static_cast<void>(s.find(40)), line);
    EXPECT_DEATH(static_cast<void>(s.lower_bound(40)), line);
    EXPECT_DEATH(static_cast<void>(s.upper_bound(40)), line);
    EXPECT_DEATH(s.insert(41), line);
    EXPECT_DEATH(s.erase(40), line);
    EXPECT_DEATH(static_cast<void>(s.check()), line);
  }
  code = [&] { EXPECT_EQ(s.size(), 50u); };
  EXPECT_TRUE(s.contains(40));
}

TEST(MapBuild, TakesItsOwnElements) {
  map<int, std::string> m;
  for (int k = 0; k < 100; ++k) m.insert(k, std::to_string(k));
  m.build(m);
  EXPECT_EQ(m.size(), 100u);
  EXPECT_EQ(m.at(42), "42");
  m.build(m | std::views::filter([](const auto& e) { return e.first % 2 == 0; }));
  EXPECT_EQ(m.size(), 50u);
  EXPECT_EQ(m.check(), 0);
  set<int, std::less<>, fixed_pool> s(10);
  s.build(std::vector{1, 2, 3});
  s.build(s);
  s.build(std::ranges::subrange(++s.begin(), s.end()));
  EXPECT_EQ(s.size(), 2u);
  EXPECT_EQ(s.pool().capacity(), 10u);
  struct thrower {
    operator int() const { throw std::runtime_error("no"); }
  };
  std::vector<thrower> bad(3);
  EXPECT_THROW(s.build(bad), std::runtime_error);
  EXPECT_EQ(s.size(), 2u) << "an exception leaves the set as it was";
  EXPECT_EQ(s.check(), 0);
}

TEST(ListReentry, ValuesUseTheList) {
  list<value, stable_pool> l;
  const auto count = [&] { return l.length(l.root()); };
  l.push_front(value([&] { l.push_front(value([&] { l.push_front(value()); })); }));
  EXPECT_EQ(count(), 3u);
  l.push_front(value([&] { l.pop_front(); }));
  EXPECT_EQ(count(), 3u);
  l.push_front(value({}, [&] { l.push_front(value()), l.push_front(value()); }));
  l.pop_front();
  EXPECT_EQ(count(), 5u);
  l.push_front(value({}, [&] { l.pop_front(); }));
  l.pop_front();
  EXPECT_EQ(count(), 4u);
  for (const value& v : l) EXPECT_EQ(v.text.size(), 40u);
  EXPECT_EQ(l.check(), 0);
  for (int i = 0; i < 5; ++i) l.push_front(value({}, [&] { l.push_front(value()); }));
  l.clear();
  EXPECT_TRUE(l.empty());
  EXPECT_EQ(l.pool().size(), 0u);
  for (int i = 0; i < 5; ++i) l.push_front(value({}, [&] { l.push_front(value()); }));
}

TEST(ListCollect, DestructorsMayAddCells) {
  using values = list<value, stable_pool>;
  values l;
  for (int i = 0; i < 200; ++i) {
    static_cast<void>(l.cons(value({}, [&] { l.push_front(value()); }), values::nil()));
    if (i % 3 == 0) l.push_front(value());
  }
  EXPECT_EQ(l.collect({}), 200u);
  EXPECT_EQ(l.length(l.root()), 267u);
  EXPECT_EQ(l.check(), 0);
  static_cast<void>(l.cons(value({},
                                 [&] {
                                   if (!l.empty()) l.pop_front();
                                 }),
                           values::nil()));
  EXPECT_DEATH(l.collect({}), "list: a destructor of a value popped cells during collect");
  auto& same = l;
  l = std::move(same);
  EXPECT_EQ(l.length(l.root()), 267u);
}

TEST(QueueReentry, ValuesUseTheQueue) {
  queue<value, stable_deque_pool> q;
  for (int i = 0; i < 300; ++i) q.push(value([&] { q.push(value()); }, [&] { q.push(value()); }));
  for (int i = 0; i < 1500 && !q.empty(); ++i) q.pop();
  EXPECT_TRUE(q.empty());
  stack<value, stable_deque_pool> s;
  s.push(value({}, [&] { s.push(value()); }));
  EXPECT_DEATH(s.pop(), "added or ended a row at that end");
  s.clear();
  EXPECT_TRUE(s.empty());
}

}  // namespace
}  // namespace heapsmith
