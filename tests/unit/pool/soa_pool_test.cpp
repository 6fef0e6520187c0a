// Pools in columns: fields, rows as proxies, columns as spans, algorithms on both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "heapsmith/soa_pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

struct body {
  int key;
  std::array<double, 10> payload;
  std::uint8_t flag;
};
static_assert(soa_pool<body>::column_count == 3);
static_assert(soa_pool<std::array<double, 10>>::column_count == 1);
static_assert(
    std::ranges::random_access_range<soa_fixed_deque_pool<body>> &&
    std::sortable<soa_fixed_deque_pool<body>::iterator, std::ranges::less, decltype(by_field<0>)>);

TEST(SoaPool, AllocatesOnceAndAlignsEachColumn) {
  counting_upstream memory;
  soa_fixed_deque_pool<body, policy::upstream<counting_upstream>> p(1000, memory);
  for (int i = 0; i < 1000; ++i) p.emplace(body{i, {}, 1});
  EXPECT_EQ(memory.calls(), 1u);
  EXPECT_LE(memory.live_bytes(), 1000 * (4 + 80 + 1) + 3 * 64u);
  const auto is_aligned = [](const auto& column) {
    return reinterpret_cast<std::uintptr_t>(column.data()) % 64 == 0;
  };
  EXPECT_TRUE(is_aligned(p.column<0>()) && is_aligned(p.column<1>()) && is_aligned(p.column<2>()));
  soa_fixed_deque_pool<body, policy::column_align<4096>> wide(3);
  wide.emplace(body{});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.column<1>().data()) % 4096, 0u);
}

TEST(SoaPool, RowsAreProxies) {
  soa_pool<body> p;
  const auto i = p.emplace(body{1, {2.5}, 3});
  auto [key, payload, flag] = p[i];
  key = 10;
  payload[1] = 7;
  EXPECT_EQ(p.get<0>(i), 10);
  EXPECT_EQ(p.get<1>(i)[1], 7);
  p[i] = body{5, {}, 6};
  EXPECT_EQ(key, 5);
  EXPECT_EQ(flag, 6);
  const body whole = p[i];
  EXPECT_EQ(whole.key, 5);
  const auto& constant = p;
  static_assert(std::is_same_v<decltype((constant[i].get<0>())), const int&>);
  const auto j = p.emplace(body{8, {}, 9});
  auto one = p[i], other = p[j];
  swap(one, other);
  EXPECT_EQ(p.get<0>(i), 8);
  EXPECT_EQ(p.get<2>(j), 6);
  p[i] = p[j];
  EXPECT_EQ(p.get<0>(i), 5);
}

TEST(SoaPool, AlgorithmsWorkOnRowsAndColumns) {
  soa_deque_pool<body> p;
  for (int i = 0; i < 1000; ++i) p.emplace(body{(i * 617) % 1000, {i * 1.0}, 0});
  std::ranges::sort(p, {}, by_field<0>);
  EXPECT_TRUE(std::ranges::is_sorted(p.column<0>()));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(static_cast<int>(p.get<1>(i)[0]) * 617 % 1000, i);
  std::ranges::reverse(p);
  EXPECT_EQ(p.get<0>(0), 999);
  EXPECT_EQ(std::ranges::count_if(p, [](const auto& r) { return r.template get<0>() < 10; }), 10);
  const auto keys = p.column<0>();
  EXPECT_EQ(std::accumulate(keys.begin(), keys.end(), 0), 499500);
}

TEST(SoaPool, MoveOnlyFieldsAreAddedAndErased) {
  soa_pool<columns<int, std::unique_ptr<int>>> p;
  for (int i = 0; i < 100; ++i) p.emplace(i, std::make_unique<int>(i));
  p.erase(50u);
  EXPECT_EQ(p.get<1>(49u) != nullptr, true);
  EXPECT_EQ(p.column<1>().data()[50], nullptr) << "a dead slot holds valid values";
  p.emplace(7, std::make_unique<int>(7));
  EXPECT_EQ(*p.get<1>(50u), 7);
}

TEST(SoaPool, ColumnsExtendFromTheFirstLiveSlotToTheLast) {
  soa_pool<body> p;
  EXPECT_TRUE(p.column<0>().empty());
  for (int i = 0; i < 200; ++i) p.emplace(body{i, {}, 0});
  for (std::uint32_t i = 0; i < 100; ++i) p.erase(i);
  p.erase(150u);
  p.erase(199u);
  const auto keys = p.column<0>();
  EXPECT_EQ(keys.size(), 99u);
  EXPECT_EQ(keys.front(), 100);
  EXPECT_EQ(keys.data()[50], 150) << "dead slots keep plain values";
  EXPECT_EQ(keys.back(), 198);
}

TEST(SoaPool, AWrappedRingHasTwoSpans) {
  soa_fixed_deque_pool<columns<int, char>, policy::ring> p(10);
  for (int i = 0; i < 17; ++i) {
    if (p.size() == 8) p.pop_front();
    p.emplace(i, 'x');
  }
  std::vector<int> seen;
  for (const auto part : p.column<0>()) seen.insert(seen.end(), part.begin(), part.end());
  EXPECT_EQ(seen, (std::vector{9, 10, 11, 12, 13, 14, 15, 16}));
  EXPECT_FALSE(p.column<0>()[1].empty());
  EXPECT_EQ(p.emplace_front(8, 'y'), p.end_index() - 9u);
}

TEST(SoaPool, ImagesHoldTheColumns) {
  soa_fixed_pool<body> p(100);
  for (int i = 0; i < 100; ++i) p.emplace(body{i, {0.5 * i}, 1});
  for (std::uint32_t i = 0; i < 100; i += 2) p.erase(i);
  std::vector<std::byte> image(p.image_bytes());
  p.save(image);
  soa_fixed_pool<body> q(100);
  ASSERT_TRUE(q.load(image));
  EXPECT_EQ(q.check(), 0);
  EXPECT_EQ(q.size(), 50u);
  EXPECT_TRUE(std::ranges::equal(p.column<1>(), q.column<1>()));
  EXPECT_TRUE(std::ranges::equal(p.clone().column<0>(), q.column<0>()));
}

}  // namespace
}  // namespace heapsmith
