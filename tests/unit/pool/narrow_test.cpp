// Pools of few indices, capacities that cannot be had, types that overload much, and damaged
// images.
#include <gtest/gtest.h>

#include <any>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

template <class Pool>
class Narrow : public testing::Test {};
template <class Index, class... Policies>
using narrow = pool<int, policy::index<Index>, Policies...>;
using narrows = testing::Types<
    narrow<std::uint8_t>, narrow<std::uint8_t, policy::stable>,
    narrow<std::uint8_t, policy::no_reuse>, narrow<std::uint8_t, policy::no_reuse, policy::stable>,
    narrow<std::uint8_t, policy::one_ended>,
    narrow<std::uint8_t, policy::stable, policy::one_ended>,
    narrow<std::uint8_t, policy::with_handles>,
    narrow<std::uint8_t, policy::with_handles, policy::stable>, narrow<std::uint16_t>,
    narrow<std::uint16_t, policy::stable>, narrow<std::uint16_t, policy::no_reuse, policy::stable>,
    narrow<std::uint8_t, policy::soa>, narrow<std::uint8_t, policy::soa, policy::stable>>;
TYPED_TEST_SUITE(Narrow, narrows);

TYPED_TEST(Narrow, EveryIndexIsGivenOnce) {
  TypeParam p;
  std::set<unsigned> given;
  while (const auto i = p.try_emplace(static_cast<int>(given.size())))
    ASSERT_TRUE(given.insert(*i).second) << unsigned{*i};
  EXPECT_GE(p.size(), p.max_size());
  EXPECT_LT(p.size(), std::size_t{std::numeric_limits<typename TypeParam::index_type>::max()} + 1);
  int expected = 0;
  for (auto it = p.begin(); it != p.end(); ++it) ASSERT_EQ(static_cast<int>(*it), expected++);
  EXPECT_EQ(p.check(), 0);
  EXPECT_THROW(p.emplace(0), std::bad_alloc);
}

/// A window that reaches the limit in one direction still moves in the other.
TYPED_TEST(Narrow, ANearlyFullPoolPassesManyRowsThrough) {
  if constexpr (!TypeParam::policy_type::is_one_ended && !TypeParam::policy_type::has_handles) {
    for (const bool forward : {true, false}) {
      TypeParam p;
      const std::size_t most = TypeParam::max_size() - TypeParam::max_size() / 8;
      const std::size_t passes = sizeof(typename TypeParam::index_type) == 1 ? 3000 : 70'000;
      for (std::size_t n = 0; n < most + passes; ++n) {
        if (p.size() == most) forward ? p.pop_front() : p.pop_back();
        const int v = static_cast<int>(n);
        forward ? p.emplace_back(v) : p.emplace_front(v);
      }
      int expected = static_cast<int>(forward ? passes : most + passes - 1);
      for (auto it = p.begin(); it != p.end(); ++it) {
        ASSERT_EQ(static_cast<int>(*it), expected);
        expected += forward ? 1 : -1;
      }
      EXPECT_EQ(p.size(), most);
      EXPECT_EQ(p.check(), 0);
    }
  }
}

template <class Pool>
void refuse_capacities() {
  counting_upstream memory;
  for (const std::size_t capacity :
       {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 1023, SIZE_MAX - 1024, SIZE_MAX - 4095, SIZE_MAX / 2,
        SIZE_MAX / 2 + 1, SIZE_MAX / 4, SIZE_MAX / 8 + 1, Pool::max_size() + 1}) {
    if (capacity <= Pool::max_size() && capacity <= SIZE_MAX / 8) continue;
    EXPECT_THROW(Pool(capacity, memory), std::bad_alloc) << capacity;
    EXPECT_FALSE(Pool::try_create(capacity, memory)) << capacity;
    EXPECT_EQ(memory.live_blocks(), 0u);
    EXPECT_LT(memory.calls(), 100u) << "no memory is tried piece by piece";
  }
}

TEST(Capacities, ThatCannotBeHadAreRefusedAtOnce) {
  using up = policy::upstream<counting_upstream>;
  using wide = policy::index<std::uint64_t>;
  refuse_capacities<pool<std::uint64_t, up, wide>>();
  refuse_capacities<pool<std::uint64_t, up, wide, policy::stable>>();
  refuse_capacities<pool<std::uint64_t, up, wide, policy::stable, policy::no_reuse>>();
  refuse_capacities<fixed_pool<std::uint64_t, up, wide, policy::ring>>();
  refuse_capacities<pool<char, up, policy::index<std::uint8_t>, policy::stable>>();
  refuse_capacities<pool<char, up, policy::index<std::uint8_t>>>();
  refuse_capacities<soa_pool<columns<char, double>, up, wide>>();
  refuse_capacities<soa_pool<columns<char, double>, up, wide, policy::stable>>();
}

/// Takes anything in braces.
struct greedy {
  std::vector<std::any> all;
  greedy() = default;
  greedy(std::initializer_list<std::any> list) : all(list) {}
  greedy* operator&() = delete;
  const greedy* operator&() const = delete;
};
struct pair_of {
  std::vector<std::any> a;
  greedy b;
};
struct alignas(256) wide {
  int n = 0;
};
struct empty_row final {};

TEST(OddTypes, RowsAreReadBackAsTheyWere) {
  const std::vector<std::any> three(3, std::any(7));
  soa_pool<std::vector<std::any>> one;
  EXPECT_EQ(static_cast<std::vector<std::any>>(one[one.emplace(three)]).size(), 3u);
  soa_pool<columns<std::vector<std::any>>> listed;
  EXPECT_EQ(
      std::get<0>(static_cast<std::tuple<std::vector<std::any>>>(listed[listed.emplace(three)]))
          .size(),
      3u);
  soa_pool<pair_of> two;
  two.emplace(pair_of{three, greedy{1, 2}});
  pair_of copy = two[0u];
  EXPECT_EQ(copy.a.size(), 3u);
  EXPECT_EQ(copy.b.all.size(), 2u);
  EXPECT_EQ(two[0u].take().b.all.size(), 2u);
  soa_pool<greedy> single;
  single.emplace(greedy{1, 2, 3});
  greedy again = single[0u];
  EXPECT_EQ(again.all.size(), 3u);
}

TEST(OddTypes, AnyTypeCanBeARow) {
  deque_pool<greedy> p;
  p.emplace(greedy{1, 2});
  EXPECT_EQ(p.data().size(), 1u);
  EXPECT_EQ(p.begin()->all.size(), 2u);
  EXPECT_EQ(p.get(0u)->all.size(), 2u);
  pool<wide> w;
  soa_pool<columns<char, wide>> c;
  pool<wide, policy::stable> s;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w[w.emplace(i)]) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&s[s.emplace(i)]) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&c.get<1>(c.emplace('c', wide{i}))) % 256, 0u);
  }
  pool<empty_row> e;
  for (int i = 0; i < 100; ++i) e.emplace();
  EXPECT_EQ(e.size(), 100u);
  struct rooted {
    rooted() = default;
    rooted(const rooted&) = delete;
    int n = 5;
  };
  pool<rooted, policy::stable> r;
  for (int i = 0; i < 3000; ++i) r.emplace();
  EXPECT_EQ(r[2999u].n, 5);
}

template <class Column>
concept has_positions = requires(Column c) { c[0u]; } || requires(Column c) { c[0]; };

TEST(Columns, ANumberIsNoPositionInAColumn) {
  soa_pool<columns<int, char>> p;
  for (int i = 0; i < 8; ++i) p.emplace(i, 'c');
  p.erase(0u);
  p.erase(1u);
  const auto xs = p.column<0>();
  static_assert(!has_positions<decltype(xs)>);
  static_assert(std::ranges::contiguous_range<decltype(xs)> && std::ranges::view<column_view<int>>);
  const std::span<int> span = xs;
  EXPECT_EQ(span[0], 2);
  EXPECT_EQ(std::as_const(p).column<0>().front(), 2);
  EXPECT_EQ(p.get<0>(5u), 5);
}

TEST(DamagedImages, GenerationsThatNoHandleHoldsAreRefused) {
  using kept = pool<int, policy::with_handles>;
  using fixed_kept = fixed_pool<int, policy::with_handles>;
  const auto refuse = [](auto& p, auto& q) {
    p.emplace(1);
    p.erase(p.emplace(2));
    std::vector<std::byte> image(p.image_bytes());
    p.save(image);
    ASSERT_TRUE(q.load(image));
    const std::size_t generations = image.size() - 8 - 2 * 4;
    for (const std::size_t slot : {0, 1})
      for (const std::uint32_t g : {1u << 20, (1u << 20) + 1, 1u << 31, ~0u}) {
        auto bad = image;
        std::memcpy(bad.data() + generations + 4 * slot, &g, 4);
        const bool is_retired = slot == 1 && g == 1u << 20;
        const bool is_fixed = std::remove_reference_t<decltype(q)>::policy_type::is_fixed;
        EXPECT_EQ(q.load(bad), is_retired && !is_fixed) << slot << ' ' << g;
        EXPECT_EQ(q.check(), 0);
        EXPECT_EQ(q.handle_of(0).pool_id(), q.handle_of(0).pool_id() & 4095);
      }
  };
  kept p, q;
  refuse(p, q);
  fixed_kept f(4), g(4);
  refuse(f, g);
}

TEST(Pieces, AnEmptyPoolWithoutMemoryGrowsAtItsFront) {
  pool<int, policy::stable> p;
  for (int i = 0; i < 5; ++i) p.emplace(i);
  for (int i = 0; i < 5; ++i) p.pop_front();
  p.shrink_to_fit();
  EXPECT_EQ(p.capacity(), 0u);
  EXPECT_EQ(p.emplace_front(7), 4u);
  EXPECT_EQ(p[4u], 7);
  EXPECT_EQ(p.check(), 0);
}

TEST(Pieces, APoolThatHasAllOfThemIsCopiedAndSaved) {
  pool<int, policy::stable, policy::index<std::uint8_t>> p;
  // The window begins in the middle of a piece.
  int n = 0;
  while (n < 8) p.emplace_back(n++);
  for (int i = 0; i < 7; ++i) p.pop_front();
  while (p.try_emplace_back(n)) ++n;
  EXPECT_GT(p.capacity(), p.max_size());
  for (int i = 8; i < n; i += 2) p.erase(static_cast<std::uint8_t>(i));
  const auto same = p.clone();
  std::vector<std::byte> image(p.image_bytes());
  p.save(image);
  pool<int, policy::stable, policy::index<std::uint8_t>> loaded;
  ASSERT_TRUE(loaded.load(image));
  for (const auto* copy : {&same, &std::as_const(loaded)}) {
    EXPECT_EQ(copy->check(), 0);
    EXPECT_EQ(copy->size(), p.size());
    for (int i = 7; i < n; i += 2) EXPECT_EQ((*copy)[static_cast<std::uint8_t>(i)], i);
  }
}

struct node {
  int n = 0;
  std::unique_ptr<pool<node>> children;
};

TEST(Pool, IsAssignedFromAPoolInOneOfItsRows) {
  pool<node> tree;
  tree.emplace(node{1, std::make_unique<pool<node>>()});
  tree[0u].children->emplace(node{2, nullptr});
  tree = std::move(*tree[0u].children);
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0u].n, 2);
}

}  // namespace
}  // namespace heapsmith
