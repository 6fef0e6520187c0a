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
using kinds =
    testing::Types<pool_fixed<row, up>, pool_fixed<plain, up, policy::ring>, pool_growable<row, up>,
                   free_list_fixed<row, up, policy::with_handles>,
                   free_list_fixed<plain, up, policy::ring>, free_list_growable<row, up>,
                   free_list_growable<plain, up, at<std::uint16_t>>,
                   pool<row, up, policy::with_handles>, pool<row, up, policy::stable>,
                   pool_growable<plain, up, policy::stable, at<std::uint64_t>>,
                   pool<row, up, policy::stable, policy::with_handles>, soa_fixed<row, up>,
                   soa_fixed<plain, up, policy::ring>, soa_growable<row, up>,
                   soa_free_list_fixed<row, up>, soa_free_list_growable<row, up>,
                   soa_pool<plain, up, policy::with_handles>, soa_pool<row, up, policy::stable>>;
TYPED_TEST_SUITE(PoolModel, kinds);

template <class Pool>
struct steps {
  using index = typename Pool::index_type;
  using value = typename Pool::value_type;
  using distance = std::int64_t;  // an index that never begins again
  static constexpr bool reuses = Pool::policy_type::reuses;

  Pool& pool;
  std::map<distance, value> model;  // ordered as the pool is: indices before 0 come first
  distance near = 0;                // one of the last that were seen
  std::mt19937_64 random{7};
  std::uint32_t numbers = 0;

  distance unwrapped(index i) {
    const auto step = static_cast<index>(i - static_cast<index>(near));
    return near += static_cast<std::make_signed_t<index>>(step);
  }

  void allocate(bool at_end) {
    const value v = numbered(static_cast<value*>(nullptr), ++numbers);
    const auto i = at_end ? pool.try_allocate_end(v) : pool.try_allocate_begin(v);
    if (!i) {
      ASSERT_TRUE(Pool::policy_type::is_fixed);
      if (Pool::policy_type::is_ring && !reuses) {
        ASSERT_EQ(pool.size(), pool.capacity());
      }
      return;
    }
    ASSERT_TRUE(model.emplace(unwrapped(*i), v).second) << "a live slot given again";
  }

  void deallocate() {
    if (model.empty()) return;
    auto it = model.begin();
    const unsigned what = random() % 4;
    if (what == 0 || (!reuses && what == 1)) {
      if (!Pool::policy_type::has_handles)
        pool.deallocate_begin();
      else
        pool.deallocate(static_cast<index>(it->first));
    } else if (what == 1 || !reuses) {
      it = std::prev(model.end());
      pool.deallocate_end();
    } else {
      const auto window = static_cast<index>(pool.end_index() - pool.begin_index());
      it = model.lower_bound(unwrapped(static_cast<index>(pool.begin_index() + random() % window)));
      if (it == model.end()) --it;
      pool.deallocate(static_cast<index>(it->first));
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

TYPED_TEST(PoolModel, HoldsWhatAMapWouldHold) {
  counting_upstream memory;
  {
    TypeParam pool = [&] {
      if constexpr (TypeParam::policy_type::is_fixed)
        return TypeParam(300, memory);
      else
        return TypeParam(memory);
    }();
    steps<TypeParam> s{pool, {}};
    const std::size_t count = property_steps(100'000);
    for (std::size_t k = 0; k < count; ++k) {
      // Tides: mostly allocations for a while, then mostly deallocations.
      const bool rises = k / 1500 % 2 == 0;
      if (s.random() % 8 < (rises ? 5 : 3))
        s.allocate(s.random() % 3 != 0);
      else
        s.deallocate();
      if (k % 97 == 0) s.compare();
      if (k % 4999 == 4998) {
        k % 2 ? pool.clear_to_begin() : pool.clear_to_end();
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
