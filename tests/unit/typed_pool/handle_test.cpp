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

TEST(Handle, StaleAfterItsRowAndForeignElsewhere) {
  named_pool p, q;
  const auto h = p.make("one");
  EXPECT_EQ(p[h], "one");
  EXPECT_EQ(*p.find(h), "one");
  EXPECT_FALSE(q.contains(h));
  p.deallocate(h);
  EXPECT_FALSE(p.contains(h));
  EXPECT_EQ(p.find(h), nullptr);
  const auto next = p.make("two");
  EXPECT_EQ(next.index(), h.index());
  EXPECT_FALSE(p.contains(h));
  EXPECT_TRUE(p.contains(next));
  EXPECT_EQ(p.handle_of(next.index()), next);
  EXPECT_FALSE(p.contains(handle<std::string>()));
}

TEST(Handle, SurvivesGrowthAndMovesButNotClear) {
  named_pool p;
  std::vector<handle<std::string>> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(p.make(std::to_string(i)));
    p.allocate_begin("front");
  }
  named_pool moved = std::move(p);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(moved[all[i]], std::to_string(i));
  EXPECT_FALSE(p.contains(all[0]));
  p.make("new owner of nothing old");
  EXPECT_FALSE(p.contains(all[0]));
  moved.clear_to_begin();
  for (int i = 0; i < 2000; ++i) moved.make("x");
  for (const auto h : all) EXPECT_FALSE(moved.contains(h));
  EXPECT_EQ(std::unordered_set(all.begin(), all.end()).size(), 500u);
}

TEST(Handle, EndsOfThePoolMakeItStaleToo) {
  pool<int, policy::with_handles> p;
  const auto first = p.make(1), middle = p.make(2), last = p.make(3);
  p.deallocate_end();
  p.deallocate_begin();
  EXPECT_FALSE(p.contains(first) || p.contains(last));
  EXPECT_TRUE(p.contains(middle));
}

TEST(Handle, AGrowablePoolRetiresAUsedUpSlot) {
  pool<int, policy::with_handles> p;
  const auto first = p.make(0);
  p.deallocate(first);
  for (std::uint32_t g = 1; g < 1u << 20; ++g) {
    const auto h = p.make(0);
    ASSERT_EQ(h.index(), 0u);
    ASSERT_EQ(h.generation(), g);
    p.deallocate(h);
  }
  EXPECT_EQ(p.make(0).index(), 1u);
  EXPECT_FALSE(p.contains(first));
  EXPECT_EQ(p.check(), 0);
  p.clear_to_begin();
  EXPECT_EQ(p.make(0).index(), 1u) << "retired slots stay retired";
}

template <class Pool>
void clear_to_either_end() {
  Pool p;
  const auto first = p.make(7);
  for (int i = 0; i < 15; ++i) p.allocate_end(i);
  for (int i = 0; i < 16; ++i) p.allocate_begin(i);
  const std::size_t capacity = p.capacity();
  for (int round = 0; round < 20; ++round) {
    p.clear_to_end();
    for (int i = 0; i < 30; ++i) p.allocate_end(i);
    p.clear_to_begin();
    for (int i = 0; i < 30; ++i) p.allocate_begin(i);
    ASSERT_EQ(p.check(), 0);
  }
  EXPECT_EQ(p.capacity(), capacity);
  EXPECT_FALSE(p.contains(first));
}

TEST(Handle, AnEmptyPoolHasRoomAtEitherEnd) {
  clear_to_either_end<pool<int, policy::with_handles>>();
  clear_to_either_end<pool<int, policy::with_handles, policy::stable>>();
}

TEST(Handle, AFixedPoolBeginsAgain) {
  pool<int, policy::fixed, policy::with_handles> p(1);
  const auto first = p.make(0);
  p.deallocate(first);
  for (std::uint32_t g = 1; g < 1u << 20; ++g) p.deallocate(p.make(0));
  EXPECT_EQ(p.make(0), first);
}

TEST(Handle, ColumnsHaveThemToo) {
  soa_pool<columns<int, std::string>, policy::with_handles> p;
  const auto h = p.make(1, "a");
  p.get<1>(h) += "b";
  const auto [number, text] = p[h];
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "ab");
  p.deallocate(h);
  EXPECT_FALSE(p.find(h));
}

}  // namespace
}  // namespace heapsmith
