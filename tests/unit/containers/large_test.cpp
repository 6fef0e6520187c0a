// Sets and maps so large that a search selects its way instead of guessing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/set.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

struct wide {
  int number = 0;
  std::array<double, 10> payload = {};
};

template <class T, class... P>
using in_rows = free_list_growable<T, P...>;
template <class T, class... P>
using in_columns = soa_free_list_growable<T, P...>;

/// Keys come until there are some 40,000, and then come and go, in order for a while and in none
/// for a while; what is new or gone is the same.
template <template <class, class...> class Pool>
void follow_the_model() {
  set<int, std::less<>, Pool> s;
  map<int, wide, std::less<>, Pool> m;
  std::set<int> model;
  std::mt19937 random(7);
  int key = 0;
  for (std::size_t k = 0, n = property_steps(100'000); k < n; ++k) {
    key = k % 128 < 64 ? static_cast<int>(random() % 60'000) : (key + 1) % 60'000;
    if (model.size() > 40'000 && random() % 2 == 0) {
      const std::size_t gone = model.erase(key);
      ASSERT_EQ(s.erase(key), gone);
      ASSERT_EQ(m.erase(key), gone);
    } else {
      const bool is_new = model.insert(key).second;
      ASSERT_EQ(s.insert(key).second, is_new);
      ASSERT_EQ(m.insert(key, wide{key, {}}).second, is_new);
    }
    const int other = static_cast<int>(random() % 60'000);
    ASSERT_EQ(s.contains(other), model.contains(other));
    const auto above = model.upper_bound(other);
    const auto found = s.upper_bound(other);
    ASSERT_EQ(found == s.end(), above == model.end());
    if (above != model.end()) {
      ASSERT_EQ(*found, *above);
      ASSERT_EQ((*m.lower_bound(*above)).first, *above);
    }
  }
  ASSERT_GT(model.size(), 20'000u);
  EXPECT_EQ(s.check(), 0);
  EXPECT_EQ(m.check(), 0);
  EXPECT_TRUE(std::ranges::equal(s, model));
  for (const int key : model) ASSERT_EQ(wide(m.at(key)).number, key);
}

TEST(LargeTrees, FollowTheModelInRows) {
  follow_the_model<in_rows>();
}

TEST(LargeTrees, FollowTheModelInColumns) {
  follow_the_model<in_columns>();
}

}  // namespace
}  // namespace heapsmith
