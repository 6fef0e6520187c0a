// Pools of rows: both ends, reuse, growth, shrinking, exceptions, copies and images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "heapsmith/pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

static_assert(std::ranges::random_access_range<pool_fixed<int>> &&
              std::ranges::bidirectional_range<pool<int>>);
static_assert(!std::copy_constructible<pool<int>> && std::movable<pool<int>>);

TEST(Pool, FrontGrowthShiftsNoIndex) {
  free_list_growable<std::string> p;
  std::vector<std::uint32_t> issued;
  for (int i = 0; i < 10; ++i) issued.push_back(p.allocate_end(std::to_string(i)));
  p.deallocate(issued[4]);
  p.deallocate(issued[7]);
  EXPECT_EQ(p.allocate_begin("seven"), issued[7]);
  EXPECT_EQ(p.allocate_begin("four"), issued[4]);
  for (std::uint32_t i = 1; i <= 100; ++i) EXPECT_EQ(p.allocate_begin("front"), 0 - i);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(p[issued[i]], i == 4 ? "four" : i == 7 ? "seven" : std::to_string(i));
  p.deallocate(issued[4]);
  for (int i = 0; i < 3; ++i) p.deallocate_begin();
  EXPECT_EQ(p.allocate_begin("again"), issued[4]) << "the free list outlives growth";
  EXPECT_EQ(p.check(), 0);
}

TEST(Pool, ReusesTheLastOneFirstAtEitherEnd) {
  free_list_fixed<int> p(8);
  for (int i = 0; i < 8; ++i) p.allocate_end(i);
  for (const std::uint32_t i : {2u, 7u, 0u, 5u}) p.deallocate(i);
  EXPECT_EQ(p.allocate_end(0), 5u);
  EXPECT_EQ(p.allocate_begin(0), 0u);
  EXPECT_EQ(p.allocate_begin(0), 7u);
  EXPECT_EQ(p.allocate_end(0), 2u);
  EXPECT_EQ(p.try_allocate_end(0), std::nullopt);
}

TEST(Pool, ARingWithADeadSlotAtItsEndIsWalkedOnce) {
  pool<int, policy::fixed, policy::free_list, policy::ring> p(5);
  p.allocate_begin(-1);
  p.allocate_begin(-2);
  p.allocate_end(0);
  p.deallocate(p.allocate_end(1));  // behind it in the block lie the slots of the beginning
  std::vector<int> rows;
  for (auto it = p.begin(); it != p.end() && rows.size() < 10; ++it) rows.push_back(*it);
  EXPECT_EQ(rows, (std::vector{-2, -1, 0}));
  EXPECT_EQ(p.check(), 0);
}

template <class Pool>
void prefetch_anything(Pool p) {
  const std::uint32_t everywhere[] = {0, 1, 63, 64, 1u << 30, 0u - 1};
  for (const std::uint32_t i : everywhere) p.prefetch(i);
  for (int i = 0; i < 200; ++i) p.allocate_end(i);
  for (const std::uint32_t i : everywhere) p.prefetch(i);
  EXPECT_EQ(p[63], 63);
  EXPECT_EQ(p.check(), 0);
}

TEST(Pool, AnyIndexCanBePrefetched) {
  prefetch_anything(free_list_growable<int>());
  prefetch_anything(pool_fixed<int>(200));
  prefetch_anything(pool<int, policy::stable>());
  prefetch_anything(pool<int, policy::fixed, policy::ring, policy::no_reuse>(200));
}

TEST(Pool, WithoutAFreeListOtherSlotsStay) {
  pool_fixed<int> p(4);
  for (int i = 0; i < 4; ++i) p.allocate_end(i);
  p.deallocate(1);
  EXPECT_EQ(p.size(), 4u);
  EXPECT_FALSE(p.try_allocate_end(9));
  p.deallocate_begin();
  EXPECT_EQ(p.allocate_begin(7), 0u);
  EXPECT_TRUE(std::ranges::equal(p.data(), std::vector{7, 1, 2, 3}));
}

TEST(Pool, DoublesAndHalvesAndStaysAbove16) {
  counting_upstream memory;
  pool_growable<int, policy::upstream<counting_upstream>> p(memory);
  EXPECT_EQ(p.capacity(), 0u);
  for (int i = 0; i < 1000; ++i) p.allocate_end(i);
  EXPECT_EQ(p.capacity(), 1024u);
  EXPECT_EQ(memory.calls(), 7u) << "16, 32, … 1024";
  for (int i = 0; i < 1000 - 256; ++i) p.deallocate_end();
  EXPECT_EQ(p.capacity(), 512u);
  while (!p.empty()) p.deallocate_begin();
  EXPECT_EQ(p.capacity(), 16u);
  p.shrink_to_fit();
  EXPECT_EQ(memory.live_blocks(), 0u);
  p.allocate_begin(5);
  EXPECT_EQ(p.capacity(), 16u);
}

TEST(Pool, ClearsToEitherEndAndKeepsItsCapacity) {
  free_list_fixed<int> p(5);
  for (int i = 0; i < 5; ++i) p.allocate_end(i);
  p.deallocate(2);
  p.clear_to_end();
  EXPECT_FALSE(p.try_allocate_end(0)) << "the free list went too";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(p.try_allocate_begin(i));
  EXPECT_FALSE(p.try_allocate_begin(0));
  p.clear_to_begin();
  EXPECT_FALSE(p.try_allocate_begin(0));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(p.try_allocate_end(i));
}

TEST(Pool, AQueueInAGrowablePoolKeepsItsSize) {
  pool_growable<std::string> p;
  pool_growable<int, policy::stable> q;
  for (int i = 0; i < 100000; ++i) {
    p.allocate_end("x");
    q.allocate_end(i);
    if (p.size() > 20) p.deallocate_begin();
    if (q.size() > 20) q.deallocate_begin();
  }
  EXPECT_LE(p.capacity(), 64u);
  EXPECT_LE(q.capacity(), 3 * 1024u);
  EXPECT_EQ(q[q.begin_index()], 99980);
}

TEST(Pool, AlternatingEndsDoNotMoveAllEachTime) {
  counting_upstream memory;
  pool_growable<int, policy::upstream<counting_upstream>> p(memory);
  for (int i = 0; i < 512; ++i) p.allocate_end(i);
  for (int i = 0; i < 10000; ++i) {
    p.allocate_begin(i);
    p.deallocate_begin();
    p.allocate_end(i);
    p.deallocate_end();
  }
  EXPECT_LT(memory.calls(), 20u);
}

TEST(Pool, StablePiecesDoNotMove) {
  pool<int, policy::stable> p;
  const int* first = &p[p.allocate_end(1)];
  for (int i = 0; i < 10000; ++i) p.allocate_begin(i), p.allocate_end(i);
  EXPECT_EQ(first, &p[0]);
  EXPECT_EQ(*first, 1);
}

TEST(Pool, ARowOfThePoolMayBeTheArgument) {
  pool_growable<std::string> p;
  p.allocate_end(std::string(100, 'a'));
  for (int i = 0; i < 100; ++i) p.allocate_end(p[0]);
  EXPECT_EQ(p[100], std::string(100, 'a'));
}

struct thrower {
  explicit thrower(int n) : value(n) {
    if (n < 0) throw std::runtime_error("no");
  }
  int value;
};

TEST(Pool, AThrowingConstructorChangesNothing) {
  free_list_growable<thrower> p;
  for (int i = 0; i < 20; ++i) p.allocate_end(i);
  p.deallocate(3);
  p.deallocate(9);
  EXPECT_THROW(p.allocate_end(-1), std::runtime_error);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.allocate_end(1), 9u);
  EXPECT_EQ(p.allocate_end(1), 3u);
  EXPECT_THROW(p.allocate_begin(-1), std::runtime_error);
  EXPECT_EQ(p.size(), 20u);
}

TEST(Pool, RefusedMemoryChangesNothing) {
  counting_upstream memory;
  pool<int, policy::upstream<counting_upstream>> p(memory);
  for (int i = 0; i < 16; ++i) p.allocate_end(i);
  memory.refuse(true);
  EXPECT_THROW(p.allocate_end(1), std::bad_alloc);
  EXPECT_EQ(p.try_allocate_begin(1), std::nullopt);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.size(), 16u);
  memory.refuse(false);
  EXPECT_EQ(p.allocate_end(1), 16u);
  EXPECT_THROW((pool_fixed<std::uint64_t>(SIZE_MAX / 4)), std::bad_alloc);
}

TEST(Pool, NarrowIndicesBoundThePool) {
  pool<char, policy::index<std::uint16_t>> p;
  for (std::size_t i = 0; i < p.max_size(); ++i) p.allocate_end('x');
  EXPECT_EQ(p.size(), 65535u);
  EXPECT_FALSE(p.try_allocate_end('x'));
  EXPECT_THROW(p.allocate_begin('x'), std::bad_alloc);
}

TEST(Pool, ImagesComeBackAndDamagedOnesDoNot) {
  free_list_growable<std::uint64_t> p;
  for (std::uint64_t i = 0; i < 200; ++i) p.allocate_end(i * i);
  for (std::uint32_t i = 0; i < 200; i += 3) p.deallocate(i);
  p.deallocate_end();
  std::vector<std::byte> image(p.image_bytes());
  p.save(image, 77);

  free_list_growable<std::uint64_t> q;
  std::uint64_t user = 0;
  ASSERT_TRUE(q.load(image, &user));
  EXPECT_EQ(user, 77u);
  EXPECT_EQ(q.check(), 0);
  EXPECT_TRUE(std::ranges::equal(p, q));
  EXPECT_FALSE(q.load(std::span(image).first(image.size() - 1)));
  EXPECT_FALSE((pool_growable<std::uint64_t>().load(image)));
  EXPECT_FALSE((free_list_fixed<std::uint64_t>(100).load(image)));
  const auto copy = p.clone();
  EXPECT_TRUE(std::ranges::equal(p, copy));
  image[0] ^= std::byte{1};
  EXPECT_FALSE(q.load(image));
  EXPECT_TRUE(std::ranges::equal(p, q)) << "a refused image changes nothing";
}

#if defined(__SANITIZE_ADDRESS__)
TEST(PoolDeathTest, FreeSlotsArePoisoned) {
  struct wide {
    std::uint64_t a, b;
  };
  free_list_fixed<wide> p(8);
  wide* dead = &p[p.allocate_end(1u, 2u)];
  p.allocate_end(3u, 4u);
  p.deallocate(0);
  EXPECT_DEATH(dead->b = 5, "use-after-poison");
  EXPECT_DEATH((dead + 2)->a = 5, "use-after-poison");
  p.allocate_end(6u, 7u);
  EXPECT_EQ(dead->b, 7u);
}
#endif

}  // namespace
}  // namespace heapsmith
