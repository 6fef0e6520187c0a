// Pools of rows: both ends, reuse, growth, shrinking, exceptions, copies and images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heapsmith/pool.hpp"
#include "support/model.hpp"

namespace heapsmith {
namespace {

static_assert(std::ranges::random_access_range<fixed_deque_pool<int>> &&
              std::ranges::bidirectional_range<pool<int>>);
static_assert(!std::copy_constructible<pool<int>> && std::movable<pool<int>>);

template <class Pool>
concept can_erase = requires(Pool& p) { p.erase(1u); };

TEST(Pool, GrowthAtTheFrontChangesNoIndex) {
  pool<std::string> p;
  std::vector<std::uint32_t> issued;
  for (int i = 0; i < 10; ++i) issued.push_back(p.emplace(std::to_string(i)));
  p.erase(issued[4]);
  p.erase(issued[7]);
  EXPECT_EQ(p.emplace("seven"), issued[7]);
  EXPECT_EQ(p.emplace("four"), issued[4]);
  for (std::uint32_t i = 1; i <= 100; ++i) EXPECT_EQ(p.emplace_front("front"), 0 - i);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(p[issued[i]], i == 4 ? "four" : i == 7 ? "seven" : std::to_string(i));
  p.erase(issued[4]);
  for (int i = 0; i < 3; ++i) p.pop_front();
  EXPECT_EQ(p.emplace("again"), issued[4]) << "the free list outlives growth";
  EXPECT_EQ(p.check(), 0);
}

TEST(Pool, ReusesTheSlotErasedLastFirst) {
  fixed_pool<int> p(8);
  for (int i = 0; i < 8; ++i) p.emplace(i);
  for (const std::uint32_t i : {2u, 7u, 0u, 5u}) p.erase(i);
  EXPECT_EQ(p.try_emplace_back(0), std::nullopt) << "slot 7 waits for emplace";
  EXPECT_EQ(p.try_emplace_front(0), std::nullopt);
  EXPECT_EQ(p.emplace(0), 5u);
  EXPECT_EQ(p.emplace(0), 0u);
  EXPECT_EQ(p.emplace(0), 7u);
  EXPECT_EQ(p.emplace(0), 2u);
  EXPECT_EQ(p.try_emplace(0), std::nullopt);
}

TEST(Pool, ARingWithADeadSlotAtItsEndIsWalkedOnce) {
  pool<int, policy::fixed, policy::ring> p(5);
  p.emplace_front(-1);
  p.emplace_front(-2);
  p.emplace(0);
  p.erase(p.emplace(1));  // behind it in the block lie the slots of the beginning
  std::vector<int> rows;
  for (auto it = p.begin(); it != p.end() && rows.size() < 10; ++it) rows.push_back(*it);
  EXPECT_EQ(rows, (std::vector{-2, -1, 0}));
  EXPECT_EQ(p.check(), 0);
}

template <class Pool>
void prefetch_anything(Pool p) {
  const std::uint32_t everywhere[] = {0, 1, 63, 64, 1u << 30, 0u - 1};
  for (const std::uint32_t i : everywhere) p.prefetch(i);
  for (int i = 0; i < 200; ++i) p.emplace(i);
  for (const std::uint32_t i : everywhere) p.prefetch(i);
  EXPECT_EQ(p[63], 63);
  EXPECT_EQ(p.check(), 0);
}

TEST(Pool, AnyIndexCanBePrefetched) {
  prefetch_anything(pool<int>());
  prefetch_anything(fixed_deque_pool<int>(200));
  prefetch_anything(pool<int, policy::stable>());
  prefetch_anything(pool<int, policy::fixed, policy::ring, policy::no_reuse>(200));
}

TEST(Pool, ADequePoolErasesAtTheEndsOnly) {
  fixed_deque_pool<int> p(4);
  for (int i = 0; i < 4; ++i) p.emplace(i);
  static_assert(!can_erase<fixed_deque_pool<int>> && can_erase<fixed_pool<int>>);
  EXPECT_FALSE(p.try_emplace_back(9));
  p.pop_front();
  EXPECT_EQ(p.emplace_front(7), 0u);
  EXPECT_TRUE(std::ranges::equal(p.data(), std::vector{7, 1, 2, 3}));
}

TEST(Pool, DoublesAndHalvesButNotBelow16Slots) {
  counting_upstream memory;
  deque_pool<int, policy::upstream<counting_upstream>> p(memory);
  EXPECT_EQ(p.capacity(), 0u);
  for (int i = 0; i < 1000; ++i) p.emplace(i);
  EXPECT_EQ(p.capacity(), 1024u);
  EXPECT_EQ(memory.calls(), 7u) << "16, 32, … 1024";
  for (int i = 0; i < 1000 - 256; ++i) p.pop_back();
  EXPECT_EQ(p.capacity(), 512u);
  while (!p.empty()) p.pop_front();
  EXPECT_EQ(p.capacity(), 16u);
  p.shrink_to_fit();
  EXPECT_EQ(memory.live_blocks(), 0u);
  p.emplace_front(5);
  EXPECT_EQ(p.capacity(), 16u);
}

template <class Pool>
void fill_from_either_end() {
  Pool p(5);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(p.try_emplace_back(i));
    EXPECT_FALSE(p.try_emplace_back(0));
    p.clear();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(p.try_emplace_front(i));
    EXPECT_FALSE(p.try_emplace_front(0));
    while (!p.empty()) p.pop_back();
    EXPECT_EQ(p.check(), 0);
  }
}

TEST(Pool, AnEmptyFixedPoolHasRoomAtEitherEnd) {
  fill_from_either_end<fixed_pool<int>>();
  fill_from_either_end<fixed_deque_pool<int>>();
  fill_from_either_end<fixed_deque_pool<int, policy::ring>>();
  fixed_pool<int> p(5);
  for (int i = 0; i < 5; ++i) p.emplace(i);
  p.erase(2);
  p.clear();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(p.try_emplace_front(i)) << "the free list is empty too";
}

// As many rows as were popped at an end can be added there, whatever was erased in between.
template <class Pool>
void refill_after_pops() {
  Pool p(100);
  for (int i = 0; i < 100; ++i) p.emplace_back(i);
  for (std::uint32_t i = 1; i < 99; i += 2) p.erase(p.begin_index() + i);
  for (int round = 0; round < 50; ++round) {
    const int pops = round % 7 + 1;
    for (int k = 0; k < pops; ++k) p.pop_back();
    for (int k = 0; k < pops; ++k) {
      const auto i = p.try_emplace_back(1000 + k);
      ASSERT_TRUE(i.has_value()) << "round " << round << ", row " << k;
      EXPECT_EQ(*std::prev(p.end()), 1000 + k) << "it is the last row";
    }
    for (int k = 0; k < pops; ++k) p.pop_front();
    for (int k = 0; k < pops; ++k) {
      ASSERT_TRUE(p.try_emplace_front(-k));
      EXPECT_EQ(*p.begin(), -k);
    }
    ASSERT_EQ(p.check(), 0);
  }
  while (p.try_emplace(7));
  EXPECT_EQ(p.size(), 100u) << "held slots serve emplace too";
  EXPECT_EQ(p.check(), 0);
}

TEST(Pool, FixedPoolsHoldTheSlotsOfPoppedRows) {
  refill_after_pops<fixed_pool<int>>();
  refill_after_pops<fixed_pool<int, policy::ring>>();
  // A row that lies behind a held slot takes away its use at the end.
  fixed_pool<int> p(6);
  for (int i = 0; i < 6; ++i) p.emplace_back(i);
  p.erase(5);
  p.pop_back();  // slot 4 is held
  EXPECT_EQ(p.emplace(50), 5u);
  EXPECT_FALSE(p.try_emplace_back(6));
  EXPECT_EQ(p.emplace(40), 4u) << "and it is listed";
  EXPECT_EQ(p.size(), 6u);
  fixed_pool<int> other = std::move(p);
  EXPECT_EQ(p.check() + other.check(), 0);
}

TEST(Pool, AHeldSlotIsHeldAgainIfItsConstructorThrows) {
  struct row {
    explicit row(int n) {
      if (n < 0) throw n;
    }
  };
  fixed_pool<row> p(4);
  for (int i = 0; i < 4; ++i) p.emplace_back(i);
  p.erase(3);
  p.pop_back();
  EXPECT_THROW(p.emplace_back(-1), int);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.emplace_back(1), 2u);
}

TEST(Pool, RowsAddedAtTheEndsComeLastAndFirst) {
  pool<int> p;
  for (int i = 0; i < 10; ++i) p.emplace(i);
  for (const std::uint32_t i : {3u, 8u, 9u}) p.erase(i);
  p.pop_back();  // leaves the slots from 7 on; two of them are in the free list
  EXPECT_EQ(p.emplace_back(70), 7u);
  EXPECT_EQ(p.emplace_back(80), 8u);
  EXPECT_EQ(p.emplace_front(-1), 0u - 1);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.emplace(30), 3u);
  EXPECT_EQ(p.emplace(90), 9u);
  EXPECT_TRUE(std::ranges::equal(p, std::vector{-1, 0, 1, 2, 30, 4, 5, 6, 70, 80, 90}));
}

TEST(Pool, GetReturnsAPointerOrNull) {
  pool<std::string> p;
  const auto i = p.emplace("row");
  EXPECT_EQ(*p.get(i), "row");
  EXPECT_EQ(std::as_const(p).get(i + 1), nullptr);
  p.erase(i);
  EXPECT_EQ(p.get(i), nullptr);
}

TEST(Pool, TryCreateReturnsNothingWithoutMemory) {
  counting_upstream memory;
  using fixed = fixed_pool<int, policy::upstream<counting_upstream>>;
  memory.refuse(true);
  EXPECT_FALSE(fixed::try_create(10, memory));
  memory.refuse(false);
  auto p = fixed::try_create(10, memory);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->capacity(), 10u);
  EXPECT_EQ((*p)[p->emplace(7)], 7);
  EXPECT_FALSE(fixed_pool<std::uint64_t>::try_create(SIZE_MAX / 4));
}

TEST(Pool, AQueueInAGrowablePoolDoesNotGrow) {
  deque_pool<std::string> p;
  deque_pool<int, policy::stable> q;
  for (int i = 0; i < 100000; ++i) {
    p.emplace("x");
    q.emplace_back(i);
    if (p.size() > 20) p.pop_front();
    if (q.size() > 20) q.pop_front();
  }
  EXPECT_LE(p.capacity(), 64u);
  EXPECT_LE(q.capacity(), 3 * 1024u);
  EXPECT_EQ(q[q.begin_index()], 99980);
}

TEST(Pool, AlternatingEndsSeldomMoveTheRows) {
  counting_upstream memory;
  deque_pool<int, policy::upstream<counting_upstream>> p(memory);
  for (int i = 0; i < 512; ++i) p.emplace(i);
  for (int i = 0; i < 10000; ++i) {
    p.emplace_front(i);
    p.pop_front();
    p.emplace(i);
    p.pop_back();
  }
  EXPECT_LT(memory.calls(), 20u);
}

TEST(Pool, StablePiecesDoNotMove) {
  pool<int, policy::stable> p;
  const int* first = &p[p.emplace(1)];
  for (int i = 0; i < 10000; ++i) p.emplace_front(i), p.emplace(i);
  EXPECT_EQ(first, &p[0]);
  EXPECT_EQ(*first, 1);
}

TEST(Pool, ARowOfThePoolCanBeAnArgument) {
  deque_pool<std::string> p;
  p.emplace(std::string(100, 'a'));
  for (int i = 0; i < 100; ++i) p.emplace(p[0]);
  EXPECT_EQ(p[100], std::string(100, 'a'));
}

struct thrower {
  explicit thrower(int n) : value(n) {
    if (n < 0) throw std::runtime_error("no");
  }
  int value;
};

TEST(Pool, AThrowingConstructorChangesNothing) {
  pool<thrower> p;
  for (int i = 0; i < 20; ++i) p.emplace(i);
  p.erase(3);
  p.erase(9);
  EXPECT_THROW(p.emplace(-1), std::runtime_error);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.emplace(1), 9u);
  EXPECT_EQ(p.emplace(1), 3u);
  EXPECT_THROW(p.emplace_front(-1), std::runtime_error);
  EXPECT_EQ(p.size(), 20u);
}

TEST(Pool, AFailedGrowthChangesNothing) {
  counting_upstream memory;
  pool<int, policy::upstream<counting_upstream>> p(memory);
  for (int i = 0; i < 16; ++i) p.emplace(i);
  memory.refuse(true);
  EXPECT_THROW(p.emplace(1), std::bad_alloc);
  EXPECT_EQ(p.try_emplace_front(1), std::nullopt);
  EXPECT_EQ(p.check(), 0);
  EXPECT_EQ(p.size(), 16u);
  memory.refuse(false);
  EXPECT_EQ(p.emplace(1), 16u);
  EXPECT_THROW((fixed_deque_pool<std::uint64_t>(SIZE_MAX / 4)), std::bad_alloc);
}

TEST(Pool, NarrowIndicesLimitThePool) {
  pool<char, policy::index<std::uint16_t>> p;
  for (std::size_t i = 0; i < p.max_size(); ++i) p.emplace('x');
  EXPECT_EQ(p.size(), 65535u);
  EXPECT_FALSE(p.try_emplace('x'));
  EXPECT_THROW(p.emplace_front('x'), std::bad_alloc);
}

TEST(Pool, LoadsImagesAndRefusesDamagedOnes) {
  pool<std::uint64_t> p;
  for (std::uint64_t i = 0; i < 200; ++i) p.emplace(i * i);
  for (std::uint32_t i = 0; i < 200; i += 3) p.erase(i);
  p.pop_back();
  std::vector<std::byte> image(p.image_bytes());
  p.save(image, 77);

  pool<std::uint64_t> q;
  std::uint64_t user = 0;
  ASSERT_TRUE(q.load(image, &user));
  EXPECT_EQ(user, 77u);
  EXPECT_EQ(q.check(), 0);
  EXPECT_TRUE(std::ranges::equal(p, q));
  EXPECT_FALSE(q.load(std::span(image).first(image.size() - 1)));
  EXPECT_FALSE((deque_pool<std::uint64_t>().load(image)));
  EXPECT_FALSE((fixed_pool<std::uint64_t>(100).load(image)));
  const auto copy = p.clone();
  EXPECT_TRUE(std::ranges::equal(p, copy));
  image[0] ^= std::byte{1};
  EXPECT_FALSE(q.load(image));
  EXPECT_TRUE(std::ranges::equal(p, q)) << "a refused image changes nothing";
}

#if defined(HEAPSMITH_UNDER_ASAN)
TEST(PoolDeathTest, FreeSlotsArePoisoned) {
  struct wide {
    std::uint64_t a, b;
  };
  fixed_pool<wide> p(8);
  wide* dead = &p[p.emplace(1u, 2u)];
  p.emplace(3u, 4u);
  p.erase(0);
  EXPECT_DEATH(dead->b = 5, "use-after-poison");
  EXPECT_DEATH((dead + 2)->a = 5, "use-after-poison");
  p.emplace(6u, 7u);
  EXPECT_EQ(dead->b, 7u);
}
#endif

}  // namespace
}  // namespace heapsmith
