// Handles: stale and foreign ones are known, generations run out, and growth changes nothing.
#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {
namespace {

static_assert(sizeof(handle<std::string>) == 8 &&
              std::is_trivially_copyable_v<handle<std::string>>);
static_assert(handle<int>(0xffffffff, 0xfffff, 0xfff).bits() == ~std::uint64_t{0});
static_assert(handle<int>(5, 6, 7).index() == 5 && handle<int>(5, 6, 7).generation() == 6 &&
              handle<int>(5, 6, 7).pool_id() == 7 && !handle<int>());
static_assert(handle<int>::from_bits(handle<int>(5, 6, 7).bits()) == handle<int>(5, 6, 7));

using named_pool = pool<std::string, policy::with_handles>;

TEST(Handle, IsStaleAfterItsRowAndForeignInOtherPools) {
  named_pool p, q;
  const auto h = p.emplace_handle("one");
  EXPECT_EQ(p[h], "one");
  EXPECT_EQ(*p.get(h), "one");
  EXPECT_FALSE(q.contains(h));
  p.erase(h);
  EXPECT_FALSE(p.contains(h));
  EXPECT_EQ(p.get(h), nullptr);
  const auto next = p.emplace_handle("two");
  EXPECT_EQ(next.index(), h.index());
  EXPECT_FALSE(p.contains(h));
  EXPECT_TRUE(p.contains(next));
  EXPECT_EQ(p.handle_of(next.index()), next);
  EXPECT_FALSE(p.contains(handle<std::string>()));
}

TEST(Handle, IsValidAfterGrowthAndMovesAndStaleAfterClear) {
  named_pool p;
  std::vector<handle<std::string>> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(p.emplace_handle(std::to_string(i)));
    p.emplace_front("front");
  }
  named_pool moved = std::move(p);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(moved[all[i]], std::to_string(i));
  EXPECT_FALSE(p.contains(all[0]));
  p.emplace_handle("new owner of nothing old");
  EXPECT_FALSE(p.contains(all[0]));
  moved.clear();
  for (int i = 0; i < 2000; ++i) moved.emplace_handle("x");
  for (const auto h : all) EXPECT_FALSE(moved.contains(h));
  EXPECT_EQ(std::unordered_set(all.begin(), all.end()).size(), 500u);
}

TEST(Handle, PoppingMakesItStale) {
  pool<int, policy::with_handles> p;
  const auto first = p.emplace_handle(1), middle = p.emplace_handle(2), last = p.emplace_handle(3);
  p.pop_back();
  p.pop_front();
  EXPECT_FALSE(p.contains(first) || p.contains(last));
  EXPECT_TRUE(p.contains(middle));
}

TEST(Handle, AGrowablePoolRetiresAUsedUpSlot) {
  pool<int, policy::with_handles> p;
  const auto first = p.emplace_handle(0);
  p.erase(first);
  for (std::uint32_t g = 1; g < 1u << 20; ++g) {
    const auto h = p.emplace_handle(0);
    ASSERT_EQ(h.index(), 0u);
    ASSERT_EQ(h.generation(), g);
    p.erase(h);
  }
  EXPECT_EQ(p.emplace_handle(0).index(), 1u);
  EXPECT_FALSE(p.contains(first));
  EXPECT_EQ(p.check(), 0);
  p.clear();
  EXPECT_EQ(p.emplace_handle(0).index(), 1u) << "retired slots stay retired";
}

/// The handles that are stored in rows, as in a saved game.
TEST(Handle, IsReboundInACopyAndInALoadedPool) {
  using stored = pool<std::uint64_t, policy::with_handles>;
  stored p;
  const auto ended = p.emplace_handle(1u), kept = p.emplace_handle(2u);
  p.erase(ended);
  const auto again = p.emplace_handle(3u);
  ASSERT_EQ(again.index(), ended.index());
  std::vector<std::byte> image(p.image_bytes());
  p.save(image);

  stored loaded;
  ASSERT_TRUE(loaded.load(image));
  EXPECT_FALSE(loaded.contains(kept)) << "a loaded pool has an id of its own";
  EXPECT_EQ(loaded[rebind(loaded, kept)], 2u);
  EXPECT_EQ(loaded[rebind(loaded, again)], 3u);
  EXPECT_FALSE(rebind(loaded, ended)) << "it was stale before";
  EXPECT_FALSE(rebind(loaded, handle<std::uint64_t>(7, 0, 1))) << "beyond the window";
  loaded.erase(rebind(loaded, kept));
  loaded.emplace(4u);
  EXPECT_FALSE(rebind(loaded, kept)) << "its row ended in the copy";
  EXPECT_EQ(p.clone()[rebind(p.clone(), kept).index()], 2u);

  pool<std::uint64_t, policy::with_handles, policy::index<std::uint16_t>> narrow;
  narrow.emplace(1u);
  EXPECT_FALSE(rebind(narrow, handle<std::uint64_t>(1 << 16, 0, 1))) << "no index is cut short";
  EXPECT_FALSE(rebind(narrow, {})) << "it names no row";
}

template <class Pool>
void clear_and_fill_again() {
  Pool p;
  const auto first = p.emplace_handle(7);
  for (int i = 0; i < 15; ++i) p.emplace(i);
  for (int i = 0; i < 16; ++i) p.emplace_front(i);
  const std::size_t capacity = p.capacity();
  for (int round = 0; round < 40; ++round) {
    p.clear();
    for (int i = 0; i < 30; ++i) p.emplace(i);
    ASSERT_EQ(p.check(), 0);
  }
  EXPECT_EQ(p.capacity(), capacity);
  EXPECT_FALSE(p.contains(first));
}

TEST(Handle, AClearedPoolUsesItsMemoryAgain) {
  clear_and_fill_again<pool<int, policy::with_handles>>();
  clear_and_fill_again<pool<int, policy::with_handles, policy::stable>>();
}

TEST(Handle, AFixedPoolReusesGenerations) {
  pool<int, policy::fixed, policy::with_handles> p(1);
  const auto first = p.emplace_handle(0);
  p.erase(first);
  for (std::uint32_t g = 1; g < 1u << 20; ++g) p.erase(p.emplace_handle(0));
  EXPECT_EQ(p.emplace_handle(0), first);
}

TEST(Handle, WorksInColumns) {
  soa_pool<columns<int, std::string>, policy::with_handles> p;
  const auto h = p.emplace_handle(1, "a");
  p.get<1>(h) += "b";
  const auto [number, text] = p[h];
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "ab");
  p.erase(h);
  EXPECT_FALSE(p.get(h));
}

}  // namespace
}  // namespace heapsmith
