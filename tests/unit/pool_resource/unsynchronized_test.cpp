// unsynchronized_pool: where its memory comes from, and that it returns there.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "heapsmith/pool_resource.hpp"
#include "support/strict_upstream.hpp"

namespace heapsmith {
namespace {

using pool = unsynchronized_pool<strict_upstream>;
constexpr std::size_t piece_bytes = 32 * 1024;

TEST(UnsynchronizedPool, IsDeducedFromItsUpstream) {
  strict_upstream upstream;
  unsynchronized_pool over(upstream);
  unsynchronized_pool by_value(default_resource{});
  static_assert(std::is_same_v<decltype(over), pool>);
  static_assert(std::is_same_v<decltype(by_value), unsynchronized_pool<>>);
  static_assert(!std::is_copy_constructible_v<pool> && !std::is_move_constructible_v<pool>);
}

TEST(UnsynchronizedPool, TakesNothingBeforeTheFirstBlock) {
  strict_upstream upstream;
  const pool p(upstream);
  EXPECT_EQ(upstream.calls, 0u);
}

TEST(UnsynchronizedPool, OnePieceServesAllItHolds) {
  strict_upstream upstream;
  pool p(upstream);
  const unsigned n = detail::piece_layout<piece_bytes>::capacity(detail::pool_classes::of(48));
  std::vector<void*> live;
  for (unsigned i = 0; i < n; ++i) live.push_back(p.allocate(48, 8));
  EXPECT_EQ(upstream.held_bytes(), piece_bytes);
  live.push_back(p.allocate(41, 8));
  EXPECT_EQ(upstream.held_bytes(), 2 * piece_bytes);
  EXPECT_EQ(p.check(), 0);
  for (void* b : live) p.deallocate(b, 48, 8);
  EXPECT_EQ(p.check(), 0);
}

TEST(UnsynchronizedPool, EmptyPiecesReturnUpstreamExceptAFew) {
  strict_upstream upstream;
  pool p(upstream);
  std::vector<void*> live;
  for (int i = 0; i < 100'000; ++i) live.push_back(p.allocate(100, 4));
  EXPECT_GT(upstream.held_bytes(), 10'000'000u);
  std::shuffle(live.begin(), live.end(), std::mt19937(5));
  for (void* b : live) p.deallocate(b, 100, 4);
  EXPECT_LE(upstream.held_blocks(), 9u);
  EXPECT_EQ(p.stats().pieces, upstream.held_blocks());
  EXPECT_EQ(p.stats().spare_pieces, upstream.held_blocks() - 1);
  p.trim();
  EXPECT_EQ(upstream.held_blocks(), 0u);
  p.deallocate(p.allocate(100, 4), 100, 4);
}

TEST(UnsynchronizedPool, SparePiecesServeOtherClasses) {
  strict_upstream upstream;
  pool p(upstream);
  std::vector<void*> live;
  for (int i = 0; i < 5000; ++i) live.push_back(p.allocate(64, 8));
  for (void* b : live) p.deallocate(b, 64, 8);
  const std::size_t calls = upstream.calls;
  for (std::size_t bytes = 100; bytes <= 300; bytes += 100)
    p.deallocate(p.allocate(bytes, 8), bytes, 8);
  EXPECT_EQ(upstream.calls, calls);
}

TEST(UnsynchronizedPool, ASingleBlockTakesOnePieceOnly) {
  strict_upstream upstream;
  pool p(upstream);
  for (int i = 0; i < 10'000; ++i) p.deallocate(p.allocate(64, 8), 64, 8);
  EXPECT_EQ(upstream.calls, 1u);
}

TEST(UnsynchronizedPool, LargeBlocksReturnUpstreamAtOnce) {
  strict_upstream upstream;
  pool p(upstream);
  void* a = p.allocate(pool::largest_block + 1, 8);
  void* b = p.allocate(1'000'000, 4096);
  void* c = p.allocate(8, 2 * pool::largest_block);
  EXPECT_EQ(upstream.held_blocks(), 3u);
  EXPECT_EQ(p.stats().large_blocks, 3u);
  p.deallocate(b, 1'000'000, 4096);
  EXPECT_EQ(upstream.held_blocks(), 2u);
  p.deallocate(c, 8, 2 * pool::largest_block);
  p.deallocate(a, pool::largest_block + 1, 8);
  EXPECT_EQ(upstream.held_blocks(), 0u);
  EXPECT_EQ(p.stats().large_bytes, 0u);
}

TEST(UnsynchronizedPool, ReleaseEndsEverything) {
  strict_upstream upstream;
  pool p(upstream);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes = 1; bytes < 20'000; bytes += 37)
      static_cast<void>(p.allocate(bytes, 16));
    EXPECT_GT(upstream.held_blocks(), 100u);
    p.release();
    EXPECT_EQ(upstream.held_blocks(), 0u);
  }
  static_cast<void>(p.allocate(100'000, 16));
  static_cast<void>(p.allocate(100, 16));  // the destructor ends it
}

TEST(UnsynchronizedPool, ResetEndsEverythingAndKeepsThePieces) {
  strict_upstream upstream;
  pool p(upstream);
  std::size_t calls = 0;
  for (int round = 0; round < 5; ++round) {
    for (std::size_t bytes = 1; bytes <= pool::largest_block; bytes += 7)
      static_cast<void>(p.allocate(bytes, 16));
    static_cast<void>(p.allocate(100'000, 16));
    const std::size_t pieces = p.stats().pieces;
    p.reset();
    EXPECT_EQ(p.check(), 0);
    EXPECT_EQ(p.stats().large_blocks, 0u);
    EXPECT_EQ(p.stats().spare_pieces, pieces);
    EXPECT_EQ(upstream.held_blocks(), pieces);
    EXPECT_TRUE(round == 0 || upstream.calls - calls == 1) << "only the large block's";
    calls = upstream.calls;
  }
  p.trim();
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

TEST(UnsynchronizedPool, EmptyPiecesServeBeforeARequestFails) {
  strict_upstream upstream;
  pool p(upstream);
  for (std::size_t bytes = 8; bytes <= 512; bytes *= 2)
    p.deallocate(p.allocate(bytes, 8), bytes, 8);
  upstream.limit_bytes = upstream.held_bytes();
  void* b = p.try_allocate(4000, 8);
  ASSERT_NE(b, nullptr);
  p.deallocate(b, 4000, 8);
  b = p.allocate(100'000, 8);  // more than one piece
  p.deallocate(b, 100'000, 8);
}

TEST(UnsynchronizedPool, FailureChangesNothing) {
  strict_upstream upstream;
  upstream.limit_bytes = 2 * piece_bytes;
  pool p(upstream);
  std::vector<void*> live;
  while (void* b = p.try_allocate(1000, 8)) live.push_back(b);
  EXPECT_GT(live.size(), 50u);
  EXPECT_THROW(static_cast<void>(p.allocate(1000, 8)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(p.allocate(10'000, 8)), std::bad_alloc);
  EXPECT_EQ(p.try_allocate(~std::size_t{0}, 1), nullptr);
  EXPECT_THROW(static_cast<void>(p.allocate(~std::size_t{0}, 1)), std::bad_alloc);
  EXPECT_EQ(p.check(), 0);
  // One free block in any piece serves the next request.
  std::swap(live[7], live.back());
  p.deallocate(live.back(), 1000, 8);
  live.back() = p.allocate(1000, 8);
  for (void* b : live) p.deallocate(b, 1000, 8);
}

TEST(UnsynchronizedPool, BlocksExpandToTheirClass) {
  unsynchronized_pool<> p;
  void* b = p.allocate(130, 8);
  EXPECT_TRUE(p.try_expand(b, 130, 160, 8));
  EXPECT_FALSE(p.try_expand(b, 160, 161, 8));
  EXPECT_TRUE(p.try_expand(b, 160, 1, 8));
  p.deallocate(b, 1, 8);

  const std::size_t large = decltype(p)::largest_block + 1;
  b = p.allocate(large, 8);
  EXPECT_TRUE(p.try_expand(b, large, large + 15, 8));
  EXPECT_FALSE(p.try_expand(b, large + 15, large + 16, 8));
  EXPECT_FALSE(p.try_expand(b, large + 15, large - 1, 8)) << "its record would not be found";
  p.deallocate(b, large + 15, 8);
}

TEST(UnsynchronizedPool, ListsStaySoundInRandomSteps) {
  struct held {
    void* pointer;
    std::size_t bytes, align;
  };
  strict_upstream upstream;
  unsynchronized_pool<strict_upstream, 4096> p(upstream);
  std::mt19937 random(11);
  std::vector<held> live;
  for (int step = 0; step < 200'000; ++step) {
    const bool is_growing = step / 20'000 % 2 == 0;
    if (live.empty() || random() % 8 < (is_growing ? 5u : 3u)) {
      const std::size_t bytes = random() % 600, align = std::size_t{1} << random() % 10;
      live.push_back({p.allocate(bytes, align), bytes, align});
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(live.back().pointer) % align, 0u);
    } else {
      std::swap(live[random() % live.size()], live.back());
      p.deallocate(live.back().pointer, live.back().bytes, live.back().align);
      live.pop_back();
    }
    ASSERT_TRUE(step % 1000 != 0 || p.check() == 0) << step;
  }
  for (const held& b : live) p.deallocate(b.pointer, b.bytes, b.align);
  p.trim();
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

TEST(UnsynchronizedPool, UnusedMemoryIsPoisoned) {
#if defined(HS_PROBE_ASAN)
  const auto is_poisoned = [](const void* p, std::ptrdiff_t at) {
    return __asan_address_is_poisoned(static_cast<const char*>(p) + at) != 0;
  };
  unsynchronized_pool<> p;
  auto* a = static_cast<char*>(p.allocate(20, 8));
  auto* b = static_cast<char*>(p.allocate(20, 8));
  EXPECT_FALSE(is_poisoned(a, 0) || is_poisoned(a, 19));
  EXPECT_TRUE(is_poisoned(a, 20)) << "the rest of the class";
  EXPECT_TRUE(is_poisoned(std::max(a, b), 24)) << "the next block";
  p.deallocate(b, 20, 8);
  EXPECT_TRUE(is_poisoned(b, 0) && is_poisoned(b, 23));
  EXPECT_DEATH(*const_cast<volatile char*>(b) = 1, "use-after-poison");
  const sized_block whole = p.allocate_at_least(20, 8);
  EXPECT_FALSE(is_poisoned(whole.pointer, 23));
  auto* large = static_cast<char*>(p.allocate(5000, 8));
  EXPECT_FALSE(is_poisoned(large, 4999));
  EXPECT_TRUE(is_poisoned(large, 5008)) << "the record behind it";
  p.deallocate(large, 5000, 8);
  p.reset();
  EXPECT_TRUE(is_poisoned(a, 0));
#else
  GTEST_SKIP() << "no tool watches memory in this build";
#endif
}

TEST(UnsynchronizedPool, MisuseAbortsInDebugBuilds) {
#if defined(HEAPSMITH_DEBUG)
  unsynchronized_pool<> p;
  auto* b = static_cast<char*>(p.allocate(100, 8));
  EXPECT_DEATH(p.deallocate(b, 200, 8), "smaller than the size passed with it");
  EXPECT_DEATH(p.deallocate(b + 8, 100, 8), "no block starts here");
  p.deallocate(b, 100, 8);
  EXPECT_DEATH(p.deallocate(b, 100, 8), "freed twice in a row");
#else
  GTEST_SKIP() << "this build does not check";
#endif
}

}  // namespace
}  // namespace heapsmith
