// The concurrent arena: blocks of many threads do not overlap, and no memory is lost.
#include "heapsmith/concurrent_arena.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "arena/watched_upstream.hpp"
#include "heapsmith/resource_ref.hpp"

namespace heapsmith {
namespace {

static_assert(resource<concurrent_arena<>> && expanding_resource<concurrent_arena<>> &&
              owning_resource<concurrent_arena<>> && releasing_resource<concurrent_arena<>> &&
              resettable_resource<concurrent_arena<>> &&
              resource_traits<concurrent_arena<>>::is_thread_safe);

constexpr unsigned crowd_size = 8;

template <class F>
void in_threads(F f, unsigned threads = crowd_size) {
  std::vector<std::thread> crowd;
  for (unsigned t = 0; t < threads; ++t) crowd.emplace_back(f, t);
  for (std::thread& t : crowd) t.join();
}

struct written {
  char* pointer;
  std::size_t bytes;
  char value;

  bool is_intact() const {
    for (std::size_t i = 0; i < bytes; ++i)
      if (pointer[i] != value) return false;
    return true;
  }
};

/// Allocates, expands and frees at random, and fills every block with its own value.
std::vector<written> write_at_random(auto& a, unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<written> live;
  for (int i = 0; i < steps; ++i) {
    const std::size_t bytes = random() % 50 == 0 ? random() % 5000 : random() % 100;
    const std::size_t align = std::size_t{1} << random() % 8;
    auto* p = static_cast<char*>(a.try_allocate(bytes, align));
    if (p == nullptr) break;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    live.push_back({p, bytes, static_cast<char>(random())});
    std::memset(p, live.back().value, bytes);
    if (random() % 4 == 0 && a.try_expand(p, bytes, bytes + 20, align)) {
      std::memset(p + bytes, live.back().value, 20);
      live.back().bytes += 20;
    }
    if (random() % 4 == 0) {
      EXPECT_TRUE(live.back().is_intact());
      a.deallocate(p, live.back().bytes, align);
      live.pop_back();
    }
  }
  return live;
}

TEST(ConcurrentArena, BlocksOfManyThreadsDoNotOverlap) {
  watched_upstream up;
  concurrent_arena a(up);
  for (unsigned round = 0; round < 3; ++round) {
    std::vector<written> live[crowd_size];
    in_threads([&](unsigned t) { live[t] = write_at_random(a, round * 100 + t, 5000); });
    for (const auto& blocks : live)
      for (const written& b : blocks) ASSERT_TRUE(b.is_intact());
    a.reset();
    EXPECT_EQ(up.blocks(), 1u);
  }
  a.release();
  EXPECT_EQ(up.blocks(), 0u);
}

/// More threads than shares, so that every share has several writers.
TEST(ConcurrentArena, BlocksOfThreadsThatUseOneShareDoNotOverlap) {
  concurrent_arena a;
  constexpr unsigned threads = 70;
  std::vector<written> live[threads];
  in_threads([&](unsigned t) { live[t] = write_at_random(a, t, 500); }, threads);
  for (const auto& blocks : live)
    for (const written& b : blocks) ASSERT_TRUE(b.is_intact());
}

TEST(ConcurrentArena, BlocksOfOneThreadAreAdjacent) {
  watched_upstream up;
  concurrent_arena a(up);
  a.set_limit(1 << 20);
  char* const first = static_cast<char*>(a.allocate(64, 1));
  char* last = first;
  for (int i = 0; i < 15'000; ++i) last = static_cast<char*>(a.allocate(64, 1));
  const arena_stats s = a.stats();
  EXPECT_GE(15'001 * 64u + 64 * s.pieces, s.used_bytes) << "the share did not grow in place";
  EXPECT_NE(last, first);
}

/// A thread can allocate all that the limit allows, from any share.
TEST(ConcurrentArena, AllMemoryIsUsedBeforeARequestFails) {
  static char buffer[200'000];
  concurrent_arena<null_resource> a(buffer, sizeof buffer);
  std::atomic<std::size_t> sum = 0;
  in_threads([&](unsigned) {
    std::size_t mine = 0;
    while (void* p = a.try_allocate(100, 1)) {
      std::memset(p, 1, 100);
      mine += 100;
    }
    sum += mine;
  });
  EXPECT_GE(sum, sizeof buffer - 40 * 100);
  EXPECT_LE(sum, sizeof buffer);
  while (a.try_allocate(1, 1) != nullptr) ++sum;
  EXPECT_GE(sum, sizeof buffer - 6 * 64) << "except the padding before the shares";
  EXPECT_THROW(static_cast<void>(a.allocate(1, 1)), arena_exhausted);
}

TEST(ConcurrentArena, TheLastBlockCanGrowShrinkAndBeFreed) {
  concurrent_arena a;
  char* const p = static_cast<char*>(a.allocate(10, 1));
  EXPECT_TRUE(a.try_expand(p, 10, 1000));
  EXPECT_FALSE(a.try_expand(p, 1000, 2049)) << "blocks of shares stay small";
  EXPECT_FALSE(a.try_expand(p, 1000, SIZE_MAX));
  EXPECT_TRUE(a.try_expand(p, 1000, 20));
  EXPECT_EQ(a.allocate(1, 1), p + 20);
  EXPECT_FALSE(a.try_expand(p, 20, 21));
  EXPECT_TRUE(a.try_expand(p, 20, 5));
  a.deallocate(p + 20, 1);
  EXPECT_EQ(a.allocate(1, 1), p + 20);
}

TEST(ConcurrentArena, LargeBlocksCanGrowShrinkAndBeFreed) {
  concurrent_arena a;
  a.set_limit(1 << 20);
  static_cast<void>(a.allocate(1));
  auto* const p = static_cast<char*>(a.allocate(10'000, 1));
  EXPECT_TRUE(a.try_expand(p, 10'000, 10'100));
  a.deallocate(p, 10'100);
  EXPECT_EQ(a.allocate(10'000, 1), p);
}

/// A block at the end of both its share and the arena is a block of the share.
TEST(ConcurrentArena, TheEndOfAShareIsNotTheEndOfTheArena) {
  concurrent_arena a;
  char* const p = static_cast<char*>(a.allocate(1, 1));
  for (int i = 0; i < 15; ++i) static_cast<void>(a.allocate(2048, 1));
  auto* last = static_cast<char*>(a.allocate(2047, 1));
  ASSERT_EQ(last + 2047, p + 32'768);
  std::thread([&] { a.deallocate(last, 2047); }).join();  // not by the thread of that share
  char* const large = static_cast<char*>(a.allocate(3000, 1));
  EXPECT_GE(large, p + 32'768);
}

TEST(ConcurrentArena, StatsCountTheRestOfSharesAsFree) {
  concurrent_arena a;
  EXPECT_EQ(a.stats().used_bytes, 0u);
  in_threads([&](unsigned) { static_cast<void>(a.allocate(100, 1)); }, 4);
  const arena_stats s = a.stats();
  EXPECT_GE(s.used_bytes, 400u);
  EXPECT_LE(s.used_bytes, 400u + 5 * 64);
  EXPECT_GE(s.free_bytes, 4 * (32'768u - 100));
}

TEST(ConcurrentArena, LargeAndOverAlignedBlocks) {
  concurrent_arena a;
  for (std::size_t align = 1; align <= 1 << 16; align *= 2)
    for (const std::size_t bytes : {0, 1, 2048, 2049, 100'000}) {
      void* p = a.allocate(bytes, align);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      std::memset(p, 1, bytes);
    }
}

TEST(ConcurrentArena, OwnsItsBlocks) {
  watched_upstream up;
  const resource_ref handle = up;
  alignas(64) char buffer[64 * 1024];
  concurrent_arena<resource_ref> a(buffer, sizeof buffer, handle);
  auto* const small = static_cast<char*>(a.allocate(40, 1));
  EXPECT_EQ(up.calls, 0) << "the buffer comes first";
  auto* const large = static_cast<char*>(a.allocate(100'000, 1));
  EXPECT_TRUE(a.owns(small) && a.owns(small + 39) && a.owns(large) && a.owns(large + 99'999));
  EXPECT_FALSE(a.owns(large + 100'000) || a.owns(nullptr) || a.owns(&a));
  a.release();
  EXPECT_FALSE(a.owns(small));
}

}  // namespace
}  // namespace heapsmith
