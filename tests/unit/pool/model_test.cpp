// Random steps on pools of every kind, against a std::map from index to value.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

struct row {
  std::uint32_t number = 0;
  std::string text;
  double weight = 0;
  friend bool operator==(const row&, const row&) = default;
};
struct plain {
  std::uint32_t number = 0;
  double weight = 0;
  friend bool operator==(const plain&, const plain&) = default;
};

row numbered(row*, std::uint32_t n) {
  return {n, std::string(n % 40, static_cast<char>('a' + n % 26)), n / 2.0};
}
plain numbered(plain*, std::uint32_t n) {
  return {n, n / 2.0};
}

template <class Pool>
class PoolModel : public testing::Test {};

using up = policy::upstream<counting_upstream>;
template <class I>
using at = policy::index<I>;
using kinds = testing::Types<
    fixed_deque_pool<row, up>, fixed_deque_pool<plain, up, policy::ring>, deque_pool<row, up>,
    fixed_pool<row, up, policy::with_handles>, fixed_pool<plain, up, policy::ring>, pool<row, up>,
    pool<plain, up, at<std::uint16_t>>, pool<row, up, policy::with_handles>,
    pool<row, up, policy::stable>, deque_pool<plain, up, policy::stable, at<std::uint64_t>>,
    pool<row, up, policy::stable, policy::with_handles>, soa_fixed_deque_pool<row, up>,
    soa_fixed_deque_pool<plain, up, policy::ring>, soa_deque_pool<row, up>, soa_fixed_pool<row, up>,
    soa_pool<row, up>, soa_pool<plain, up, policy::with_handles>, soa_pool<row, up, policy::stable>,
    pool<row, up, at<std::uint8_t>>, pool<plain, up, policy::stable, at<std::uint8_t>>,
    deque_pool<row, up, at<std::uint8_t>>, pool<plain, up, policy::with_handles, at<std::uint8_t>>,
    deque_pool<row, up, policy::stable, at<std::uint8_t>>,
    pool<row, up, policy::stable, policy::with_handles, at<std::uint8_t>>>;
TYPED_TEST_SUITE(PoolModel, kinds);

template <class Pool>
struct steps {
  using index = typename Pool::index_type;
  using value = typename Pool::value_type;
  using distance = std::int64_t;  // an index that never begins again
  static constexpr bool reuses = Pool::policy_type::reuses;

  Pool& pool;
  std::map<distance, value> model;  // ordered as the pool is: indices before 0 come first
  std::mt19937_64 random{7};
  std::uint32_t numbers = 0;

  /// Counted from the first row, for both lie in the window.
  distance unwrapped(index i) const {
    if (model.empty()) return i;
    const auto in_window = [&](index k) -> distance {
      return static_cast<index>(k - pool.begin_index());
    };
    const distance first = model.begin()->first;
    return first + in_window(i) - in_window(static_cast<index>(first));
  }

  void emplace() {
    const value v = numbered(static_cast<value*>(nullptr), ++numbers);
    const unsigned where = random() % 3;
    const auto i = where == 0   ? pool.try_emplace_front(v)
                   : where == 1 ? pool.try_emplace_back(v)
                                : pool.try_emplace(v);
    if (!i) {
      // A narrow index is used up: by the window, of which erased rows keep a part.
      const std::size_t window = static_cast<index>(pool.end_index() - pool.begin_index());
      constexpr std::size_t slack = Pool::policy_type::has_handles ? 128 : 32;
      ASSERT_TRUE(Pool::policy_type::is_fixed || window + slack > Pool::max_size());
      if (Pool::policy_type::is_ring && !reuses) {
        ASSERT_EQ(pool.size(), pool.capacity());
      }
      return;
    }
    const distance at = unwrapped(*i);
    if (where == 0 && !model.empty()) {
      ASSERT_LT(at, model.begin()->first);
    } else if (where == 1 && !model.empty()) {
      ASSERT_GT(at, std::prev(model.end())->first);
    }
    ASSERT_TRUE(model.emplace(at, v).second) << "a live slot given again";
  }

  void erase() {
    if (model.empty()) return;
    auto it = model.begin();
    const unsigned what = random() % 4;
    if (what == 0 || (!reuses && what == 1)) {
      pool.pop_front();
    } else if (what == 1 || !reuses) {
      it = std::prev(model.end());
      pool.pop_back();
    } else if constexpr (reuses) {
      const auto window = static_cast<index>(pool.end_index() - pool.begin_index());
      it = model.lower_bound(unwrapped(static_cast<index>(pool.begin_index() + random() % window)));
      if (it == model.end()) --it;
      pool.erase(static_cast<index>(it->first));
    }
    model.erase(it);
  }

  void compare() {
    ASSERT_EQ(pool.check(), 0);
    ASSERT_EQ(pool.size(), model.size());
    auto expected = model.begin();
    for (auto it = pool.begin(); it != pool.end(); ++it, ++expected) {
      ASSERT_EQ(unwrapped(it.index_of()), expected->first);
      ASSERT_EQ(static_cast<value>(*it), expected->second);
    }
  }
};

TYPED_TEST(PoolModel, MatchesAStdMap) {
  counting_upstream memory;
  {
    TypeParam pool = [&] {
      if constexpr (TypeParam::policy_type::is_fixed)
        return TypeParam(300, memory);
      else
        return TypeParam(memory);
    }();
    steps<TypeParam> s{pool, {}};
#ifdef HEAPSMITH_UNDER_ASAN  // where tests are not optimised
    const std::size_t count = property_steps(20'000);
#else
    const std::size_t count = property_steps(100'000);
#endif
    for (std::size_t k = 0; k < count; ++k) {
      // Tides: rows mostly come for a while, and then mostly go.
      const bool rises = k / 1500 % 2 == 0;
      if (s.random() % 8 < (rises ? 5 : 3))
        s.emplace();
      else
        s.erase();
      if (k % 97 == 0) s.compare();
      if (k % 4999 == 4998) {
        pool.clear();
        s.model.clear();
      }
      if (testing::Test::HasFatalFailure()) FAIL() << "at step " << k;
    }
    s.compare();
    if (TypeParam::policy_type::is_fixed) {
      EXPECT_EQ(memory.calls(), 1u) << "a fixed pool allocates once";
    }
    TypeParam other = std::move(pool);
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(other.size(), s.model.size());
  }
  EXPECT_EQ(memory.live_blocks(), 0u);
}

}  // namespace
}  // namespace heapsmith
