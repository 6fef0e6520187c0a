// Sets and maps in which a search selects its way, or loads ahead, instead of guessing only.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/set.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

template <std::size_t Doubles>
struct wide {
  int number = 0;
  std::array<double, Doubles> payload = {};
};

template <class T, class... P>
using in_rows = pool<T, P...>;
template <class T, class... P>
using in_pieces = pool<T, policy::stable, P...>;
template <class T, class... P>
using in_columns = soa_pool<T, P...>;

/// Keys come until there are some 40,000, and then come and go, in order for a while and in none
/// for a while; both report the same results.
template <template <class, class...> class Pool, class Value>
void follow_the_model() {
  set<int, std::less<>, Pool> s;
  map<int, Value, std::less<>, Pool> m;
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
      ASSERT_EQ(m.insert(key, Value{key, {}}).second, is_new);
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
  for (const int key : model) ASSERT_EQ(Value(m.at(key)).number, key);
}

TEST(LargeTrees, FollowTheModelInRows) {
  follow_the_model<in_rows, wide<10>>();
}

TEST(LargeTrees, FollowTheModelInRowsOfManyLines) {
  follow_the_model<in_rows, wide<40>>();
}

TEST(LargeTrees, FollowTheModelInColumns) {
  follow_the_model<in_columns, wide<10>>();
}

TEST(LargeTrees, FollowTheModelInPieces) {
  follow_the_model<in_pieces, wide<10>>();
}

/// A copy, an image and what was built have not seen in which order keys came.
TEST(LargeTrees, CopiesImagesAndBuiltSetsFindEveryKey) {
  std::vector<int> keys(5000);
  std::iota(keys.begin(), keys.end(), -2500);
  set<int> built;
  built.build(keys);
  set<int> copy = built.clone(), loaded;
  std::vector<std::byte> image(built.image_bytes());
  built.save(image);
  ASSERT_TRUE(loaded.load(image));
  set<int> moved = std::move(copy);
  for (set<int>* each : {&built, &loaded, &moved}) {
    for (const int key : keys) ASSERT_TRUE(each->contains(key));
    EXPECT_FALSE(each->contains(-2501) || each->contains(2500));
    EXPECT_TRUE(each->insert(2500).second && !each->insert(0).second);
    EXPECT_EQ(each->erase(-2500), 1u);
    EXPECT_EQ(each->check(), 0);
  }
}

TEST(LargeTrees, FewKeysAfterManyAreFound) {
  set<int> s;
  std::mt19937 random(8);
  for (int i = 0; i < 5000; ++i) s.insert(static_cast<int>(random() % 100'000));
  while (s.size() > 3) s.erase(s.begin());
  EXPECT_TRUE(s.contains(s.min()) && s.contains(s.max()));
  s.clear();
  EXPECT_FALSE(s.contains(1));
  EXPECT_TRUE(s.insert(1).second && s.contains(1));
}

}  // namespace
}  // namespace heapsmith
