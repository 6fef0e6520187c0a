// Rows whose constructors, destructors, moves and conversions use the pool that calls them.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "heapsmith/inline_pool.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

using action = std::function<void()>;

/// A row that runs code when it is made, moved and destroyed. Its text is on the heap, so a row
/// that is moved or destroyed while it is being made shows under AddressSanitizer.
struct row {
  std::string text = std::string(40, 'r');
  action at_end, at_move;
  int number = 0;

  explicit row(int n = 0) noexcept : number(n) {}
  row(int n, const action& at_start, action end = {}, action move = {})
      : at_end(std::move(end)), at_move(std::move(move)), number(n) {
    if (at_start) at_start();
    text.push_back('!');
  }
  row(row&& o) noexcept
      : text(std::move(o.text)),
        at_end(std::exchange(o.at_end, {})),
        at_move(std::exchange(o.at_move, {})),
        number(o.number) {
    if (at_move) std::exchange(at_move, {})();
  }
  row& operator=(row&& o) noexcept {
    text = std::move(o.text);
    if (at_end) std::exchange(at_end, {})();
    at_end = std::exchange(o.at_end, {});
    number = o.number;
    return *this;
  }
  ~row() {
    if (at_end) std::exchange(at_end, {})();
    text.clear();
  }
};

/// The numbers of all rows; each has its text.
std::string numbers(auto& pool) {
  std::string all;
  for (row& r : pool) {
    EXPECT_GE(r.text.size(), 40u);
    all += std::to_string(r.number) + ' ';
  }
  return all;
}

template <class Pool>
class Reentry : public testing::Test {};
using reusing = testing::Types<pool<row>, pool<row, policy::with_handles>,
                               pool<row, policy::stable>, pool<row, policy::index<std::uint8_t>>,
                               pool<row, policy::stable, policy::with_handles>>;
TYPED_TEST_SUITE(Reentry, reusing);

TYPED_TEST(Reentry, AConstructorAddsRows) {
  TypeParam p(16);
  p.emplace(1);
  const auto erased = p.emplace(2);
  p.erase(erased);
  p.emplace(3, [&] { p.emplace(4, [&] { p.emplace(5); }); });
  EXPECT_EQ(numbers(p), "1 3 4 5 ") << "the slot that was erased, and those behind it";
  EXPECT_EQ(p.check(), 0);
  p.emplace_back(6, [&] { p.emplace_back(7); });
  EXPECT_EQ(numbers(p), "1 3 4 5 6 7 ");
  EXPECT_EQ(p.check(), 0);
}

TYPED_TEST(Reentry, AConstructorThatThrowsHasAddedRows) {
  TypeParam p(16);
  p.emplace(1);
  EXPECT_THROW(p.emplace(2,
                         [&] {
                           p.emplace(3);
                           throw std::runtime_error("no");
                         }),
               std::runtime_error);
  EXPECT_EQ(numbers(p), "1 3 ");
  EXPECT_EQ(p.check(), 0);
  EXPECT_THROW(p.emplace(2, [] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(p.emplace(4), 1u) << "the slot of the first row that was not made";
  EXPECT_EQ(numbers(p), "1 4 3 ");
}

TYPED_TEST(Reentry, AConstructorErasesRows) {
  TypeParam p(16);
  const auto a = p.emplace(1), b = p.emplace(2);
  p.emplace(3, [&] {
    p.erase(a);
    p.erase(b);
    EXPECT_TRUE(p.empty());
    if constexpr (requires { p.shrink_to_fit(); }) p.shrink_to_fit();
  });
  EXPECT_EQ(numbers(p), "3 ");
  p.emplace_back(4, [&] { p.pop_back(); });
  EXPECT_EQ(numbers(p), "4 ");
  EXPECT_EQ(p.check(), 0);
}

TYPED_TEST(Reentry, ADestructorAddsAndErasesRows) {
  TypeParam p(16);
  const auto a = p.emplace(1), b = p.emplace(2), c = p.emplace(3);
  const auto d = p.emplace(4, action(), [&] {
    EXPECT_FALSE(p.contains(c + 1));
    p.erase(a);
    p.erase(c);
    p.emplace(5);
    p.emplace(6);
  });
  p.erase(d);
  EXPECT_EQ(numbers(p), "6 2 5 ") << "the slots erased last come first, but not that of the row";
  EXPECT_EQ(p.check(), 0);
  p.erase(b);
  p.pop_back();
  p.pop_back();
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.check(), 0);
}

TYPED_TEST(Reentry, ADestructorAddsRowsAsItsRowIsPopped) {
  TypeParam p(16);
  for (const int ends : {0, 1}) {
    p.emplace(0);
    p.emplace(1);
    p.pop_front();  // leaves room there
    p.emplace(2, action(), [&] {
      p.emplace_back(3);
      if constexpr (!TypeParam::policy_type::has_handles) p.emplace_front(4);
    });
    p.emplace(5, action(), [&] { p.emplace(6); });
    ends == 0 ? p.pop_back() : p.pop_front();
    ends == 0 ? p.pop_back() : p.pop_front();
    EXPECT_EQ(p.check(), 0);
    p.pop_front();
    p.pop_back();
    EXPECT_EQ(p.check(), 0);
    p.clear();
    EXPECT_TRUE(p.empty());
  }
}

TYPED_TEST(Reentry, ClearEndsRowsThatDestructorsAdd) {
  int ended = 0;
  {
    TypeParam p(64);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 5; ++i)
        p.emplace(i, action(), [&] {
          ++ended;
          p.emplace_back(10, action(), [&] { ++ended; });
          p.emplace(11, action(), [&] { ++ended; });
        });
      if (round == 2) break;  // the pool's own destructor does the same
      p.clear();
      EXPECT_TRUE(p.empty());
      EXPECT_EQ(p.check(), 0);
      EXPECT_EQ(ended, 15 * (round + 1));
    }
  }
  EXPECT_EQ(ended, 45);
}

TYPED_TEST(Reentry, AMoveOfARowIntoTheNewBlockFindsNoRow) {
  TypeParam p(4);
  p.emplace(1, action(), action(), [&] { p.emplace(2); });
  const auto grow = [&] {
    while (p.size() < 30) p.emplace(3);
  };
  if constexpr (TypeParam::policy_type::is_stable) {
    grow();
    EXPECT_EQ(p.check(), 0);
  } else {
    EXPECT_DEATH(grow(), "would have to move its rows");
  }
}

TYPED_TEST(Reentry, OnlyRowsThatDoNotMoveCanBeAddedBeyondTheCapacity) {
  TypeParam p(16);
  for (int i = 0; i < 15; ++i) p.emplace(i);
  const auto from_constructor = [&] {
    p.emplace(1, [&] {
      for (int i = 0; i < 1500; ++i) p.emplace(i);
    });
  };
  const auto from_destructor = [&] {
    p.erase(p.emplace(1, action(), [&] {
      for (int i = 0; i < 1500; ++i) p.emplace(i);
    }));
  };
  if constexpr (TypeParam::policy_type::is_stable) {
    from_constructor();
    from_destructor();
    EXPECT_EQ(p.size(), 3015u + 1);
    EXPECT_EQ(p.check(), 0);
    numbers(p);
  } else {
    EXPECT_DEATH(from_constructor(), "pool: the constructor or destructor of a row added a row");
    EXPECT_DEATH(from_destructor(), "pool: the constructor or destructor of a row added a row");
  }
}

TYPED_TEST(Reentry, ARowMustNotEndItsPool) {
  TypeParam p(16), other(16);
  EXPECT_DEATH(p.emplace(1, [&] { p.clear(); }), "pool: cleared by a constructor or destructor");
  EXPECT_DEATH(p.emplace(1, [&] { other = std::move(p); }), "pool: moved by a constructor");
  EXPECT_DEATH(p.emplace(1, [&] { p = TypeParam(); }), "pool: destroyed by a constructor");
  EXPECT_DEATH(p.erase(p.emplace(1, action(), [&] { p.clear(); })), "pool: cleared by a");
  EXPECT_DEATH(p.erase(p.emplace(1, action(), [&] { p.erase(p.begin_index()); })),
               "pool: slot 0 is not live");
}

TEST(PoolReentry, AFixedPoolIsFullWhileAConstructorRuns) {
  fixed_pool<row> p(3);
  p.emplace(1);
  p.emplace(2, [&] {
    p.emplace(3);
    EXPECT_FALSE(p.try_emplace(4));
  });
  EXPECT_EQ(numbers(p), "1 2 3 ");
  p.erase(1u);
  p.emplace(5, action(), [&] { EXPECT_FALSE(p.try_emplace(6)); });
  p.erase(1u);
  EXPECT_EQ(numbers(p), "1 3 ");
  EXPECT_EQ(p.check(), 0);
}

template <class Pool>
class DequeReentry : public testing::Test {};
using deques = testing::Types<deque_pool<row>, fixed_deque_pool<row>,
                              deque_pool<row, policy::stable>, fixed_deque_pool<row, policy::ring>>;
TYPED_TEST_SUITE(DequeReentry, deques);

TYPED_TEST(DequeReentry, AConstructorAddsRows) {
  TypeParam p(16);
  for (int i = 0; i < 4; ++i) p.emplace_back(i);
  p.pop_front();
  p.emplace_back(4, [&] { p.emplace_back(5, [&] { p.emplace_back(6); }); });
  EXPECT_EQ(numbers(p), "1 2 3 4 5 6 ");
  p.emplace_back(7, [&] { p.emplace_front(8); });
  EXPECT_EQ(numbers(p), "8 1 2 3 4 5 6 7 ");
  EXPECT_THROW(p.emplace_back(9, [] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(p.size(), 8u);
  EXPECT_DEATH(static_cast<void>(p.try_emplace_back(9,
                                                    [&] {
                                                      p.emplace_back(10);
                                                      throw std::runtime_error("no");
                                                    })),
               "pool: the constructor of a row added rows behind it, and threw");
  EXPECT_DEATH(p.emplace_back(9, [&] { p.pop_back(); }), "pool: pop_back.. by a constructor or");
  EXPECT_DEATH(p.emplace_back(9, [&] { p.pop_front(); }), "pool: pop_front.. by a constructor or");
  EXPECT_DEATH(p.emplace_back(9, [&] { p.clear(); }), "pool: cleared by a constructor or");
}

TYPED_TEST(DequeReentry, ADestructorAddsRows) {
  TypeParam p(16);
  for (int i = 0; i < 4; ++i) p.emplace_back(i);
  p.pop_front();
  p.pop_front();
  p.emplace_back(3, action(), [&] { p.emplace_front(4); });
  p.pop_back();
  EXPECT_EQ(numbers(p), "4 2 3 ");
  p.emplace_front(5, action(), [&] { p.emplace_back(6); });
  p.pop_front();
  EXPECT_EQ(numbers(p), "4 2 3 6 ");
  p.emplace_back(7, action(), [&] { p.emplace_back(8); });
  EXPECT_DEATH(p.pop_back(), "added or ended a row at that end");
  p.clear();
  EXPECT_TRUE(p.empty());
  p.emplace_back(9, action(), [&] { p.pop_back(); });
  EXPECT_DEATH(p.pop_back(), "pool: pop_back.. by a constructor or destructor");
  EXPECT_DEATH(p.clear(), "pool: pop_back.. by a constructor or destructor");
  for (row& r : p) r.at_end = {};
}

struct converter {
  action code;
  operator int() const {
    code();
    return 7;
  }
};

TEST(PoolReentry, ClearGoesRoundARingThatIsRefilled) {
  fixed_deque_pool<row, policy::ring> p(5);
  int left = 40;
  const row* first = nullptr;
  action refill;
  refill = [&] {
    if (--left <= 0) return;
    const row* const at = &p[p.emplace_back(left, action(), refill)];
    EXPECT_TRUE(first <= at && at < first + 5) << "beyond the block";
  };
  first = &p[p.emplace_back(0, action(), refill)];
  for (int i = 1; i < 4; ++i) p.emplace_back(i, action(), refill);
  p.clear();
  EXPECT_TRUE(p.empty());
  EXPECT_LE(left, 0);
}

TEST(PoolReentry, AConversionUsesThePool) {
  deque_pool<int> p;
  for (int i = 0; i < 16; ++i) p.emplace_back(i);
  p.emplace_back(converter{[&] {
    p.pop_back();
    p.emplace_back(converter{[&] { p.emplace_back(20); }});
  }});
  EXPECT_EQ(p.size(), 18u);
  EXPECT_EQ(p[15], 20);
  EXPECT_EQ(p[17], 7);
  pool<int> q;
  for (int i = 0; i < 10; ++i) q.emplace(i);
  q.emplace(converter{[&] { q.erase(q.emplace(converter{[&] { q.emplace(20); }})); }});
  EXPECT_EQ(q.size(), 12u);
  EXPECT_EQ(q.check(), 0);
  fixed_deque_pool<int> full(2);
  full.emplace(1);
  EXPECT_FALSE(full.try_emplace(converter{[&] { full.emplace(2); }}));
  EXPECT_EQ(full.size(), 2u);
}

TEST(SoaReentry, FieldsUseThePool) {
  soa_pool<columns<int, row>> p(16);
  const auto code = [&] { p.emplace(2, row(2)); };
  p.emplace(1, row(1, code));
  EXPECT_EQ(p.size(), 2u);
  p.get<1>(1u).at_end = code;
  p.erase(1u);
  EXPECT_EQ(p.size(), 2u);
  EXPECT_EQ(p.check(), 0);
  p.clear();
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.check(), 0);
}

struct inline_row {
  std::string text = std::string(40, 'i');
  action at_end;
  explicit inline_row(const action& at_start, action end = {}) : at_end(std::move(end)) {
    if (at_start) at_start();
  }
  ~inline_row() {
    if (at_end) at_end();
  }
};

TEST(InlinePoolReentry, RowsUseThePool) {
  inline_pool<inline_row, 8> p;
  const action none;
  p.emplace([&] { p.emplace([&] { p.emplace(none); }); });
  int rows = 0;
  p.for_each([&](inline_row& r) { rows += r.text.size() == 40; });
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(p.size(), 3);
  EXPECT_THROW(p.emplace([&] {
    p.erase(2);
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  EXPECT_EQ(p.size(), 2);
  p.erase(p.emplace(none, [&] { p.emplace(none); }));
  EXPECT_EQ(p.size(), 3);
  p.emplace(none, [&] { p.emplace(none); });
  p.emplace([&] { p.clear(); });
  EXPECT_EQ(p.size(), 1) << "clear() within a constructor ends all other rows";
  p.clear();
  EXPECT_TRUE(p.empty());
  for (int i = 0; i < 8; ++i) p.emplace(none);
  EXPECT_FALSE(p.try_emplace(none));
}

}  // namespace
}  // namespace heapsmith
