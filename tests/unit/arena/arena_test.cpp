// Arenas over an upstream and over buffers: how they take, use, keep and return memory.
#include "heapsmith/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "arena/watched_upstream.hpp"

namespace heapsmith {
namespace {

using watched = arena<watched_upstream>;
static_assert(resource<arena<>> && expanding_resource<arena<>> && reallocating_resource<arena<>> &&
              owning_resource<arena<>> && releasing_resource<arena<>> &&
              resettable_resource<arena<>> && measured_resource<arena<>>);
static_assert(!std::is_copy_constructible_v<arena<>> && !std::is_move_constructible_v<arena<>>);
static_assert(resource_traits<arena<>>::deallocate_is_trivial &&
              !resource_traits<arena<>>::is_thread_safe);

char* take(auto& a, std::size_t bytes, std::size_t align = 1) {
  return static_cast<char*>(a.allocate(bytes, align));
}

TEST(Arena, TakesNothingBeforeTheFirstBlock) {
  watched_upstream up;
  const watched a(up);
  EXPECT_EQ(up.calls, 0);
  EXPECT_EQ(a.stats().held_bytes, 0u);
  EXPECT_EQ(a.stats().pieces, 0u);
}

TEST(Arena, BlocksAreAdjacent) {
  arena a;
  char* const first = take(a, 10);
  EXPECT_EQ(take(a, 3), first + 10);
  EXPECT_EQ(take(a, 0), first + 13);
  EXPECT_EQ(take(a, 1), first + 14);
  EXPECT_EQ(take(a, 8, 8), first + 16);
}

TEST(Arena, PiecesGrowSoThatTheirNumberIsLogarithmic) {
  watched_upstream up;
  watched a(up);
  for (int i = 0; i < 100'000; ++i) static_cast<void>(a.allocate(100, 1));
  EXPECT_LE(up.calls, 14);
  EXPECT_EQ(a.stats().pieces, up.blocks());
  EXPECT_EQ(a.stats().held_bytes, up.held());
  EXPECT_LE(up.held(), 2 * 10'100'000u);
  a.release();
  EXPECT_EQ(up.blocks(), 0u);
  EXPECT_EQ(a.stats().held_bytes, 0u);
}

TEST(Arena, UsesABufferToItsLastByte) {
  alignas(16) char buffer[100];
  arena<null_resource> a(buffer, sizeof buffer);
  EXPECT_EQ(take(a, 60), buffer);
  EXPECT_EQ(take(a, 40), buffer + 60);
  EXPECT_EQ(a.remaining(), 0u);
  EXPECT_EQ(a.try_allocate(0, 1), nullptr);
  EXPECT_EQ(a.try_allocate(1, 1), nullptr);
  a.reset();
  EXPECT_EQ(take(a, 100), buffer);
}

TEST(Arena, ExhaustionNamesTheRequestAndTheBytesThatRemain) {
  alignas(16) char buffer[100];
  arena<null_resource> a(buffer, sizeof buffer);
  static_cast<void>(a.allocate(60, 1));
  try {
    static_cast<void>(a.allocate(64, 32));
    FAIL() << "there was room";
  } catch (const arena_exhausted& e) {
    EXPECT_STREQ(e.what(),
                 "arena exhausted: no room for 64 bytes at alignment 32, 40 bytes remain");
  }
  EXPECT_EQ(take(a, 40), buffer + 60) << "a failed call changed something";
}

TEST(Arena, FollowsABufferWithPieces) {
  watched_upstream up;
  char buffer[64];
  watched a(buffer, sizeof buffer, up);
  EXPECT_EQ(take(a, 64), buffer);
  EXPECT_EQ(up.calls, 0);
  take(a, 1)[0] = 1;
  EXPECT_EQ(up.calls, 1);
  EXPECT_EQ(a.stats().pieces, 2u);
  EXPECT_EQ(a.stats().used_bytes, 65u);
  a.reset();
  EXPECT_EQ(take(a, 64), buffer);
  static_cast<void>(a.allocate(1000, 1));
  EXPECT_EQ(up.calls, 1) << "the piece was kept";
}

TEST(Arena, EqualRoundsSettleOnOnePiece) {
  watched_upstream up;
  watched a(up);
  for (int round = 0; round < 10; ++round) {
    if (round == 4) up.calls = 0;
    for (int i = 0; i < 1000; ++i) std::memset(a.allocate(300, 16), round, 300);
    a.reset();
  }
  EXPECT_EQ(up.calls, 0);
  EXPECT_EQ(up.blocks(), 1u);
}

TEST(Arena, TheLastBlockCanGrowShrinkAndBeFreed) {
  alignas(16) char buffer[100];
  arena<null_resource> a(buffer, sizeof buffer);
  char* const first = take(a, 10);
  EXPECT_TRUE(a.try_expand(first, 10, 100));
  EXPECT_EQ(a.remaining(), 0u);
  EXPECT_FALSE(a.try_expand(first, 100, 101));
  EXPECT_FALSE(a.try_expand(first, 100, SIZE_MAX));
  EXPECT_TRUE(a.try_expand(first, 100, 20));
  char* const second = take(a, 30);
  EXPECT_EQ(second, first + 20);
  EXPECT_FALSE(a.try_expand(first, 20, 21)) << "it is not the last block";
  EXPECT_TRUE(a.try_expand(first, 20, 5));
  a.deallocate(second, 30);
  EXPECT_EQ(take(a, 30), second);
  a.deallocate(first, 5);
  EXPECT_EQ(take(a, 1), second + 30) << "the memory of a block in the middle was reused";
}

TEST(Arena, BlocksOfZeroBytesCanGrowAndBeFreed) {
  arena a;
  char* const p = take(a, 0);
  EXPECT_TRUE(a.try_expand(p, 0, 7));
  EXPECT_EQ(take(a, 0), p + 7);
  a.deallocate(p + 7, 0);
  EXPECT_EQ(take(a, 1), p + 7);
  EXPECT_TRUE(a.try_expand(p + 7, 1, 0));
  EXPECT_EQ(take(a, 1), p + 8) << "a block of zero bytes is a block";
}

TEST(Arena, ReallocateMovesOnlyIfNecessary) {
  arena a;
  char* p = take(a, 10);
  std::memcpy(p, "123456789", 10);
  EXPECT_EQ(a.reallocate(p, 10, 20, 1), p);
  static_cast<void>(a.allocate(1, 1));
  char* const q = static_cast<char*>(a.reallocate(p, 20, 40, 1));
  EXPECT_NE(q, p);
  EXPECT_STREQ(q, "123456789");
}

TEST(Arena, ObservesItsLimit) {
  watched_upstream up;
  watched a(up);
  a.set_limit(10'000);
  EXPECT_THROW(static_cast<void>(a.allocate(10'000, 1)), arena_exhausted) << "no room for a header";
  std::size_t bytes = 0;
  while (a.try_allocate(100, 1) != nullptr) bytes += 100;
  EXPECT_LE(up.held(), 10'000u);
  EXPECT_GE(bytes, 9'700u) << "the limit could have been used up";
  a.reset();
  EXPECT_NE(a.try_allocate(8000, 1), nullptr) << "the spare piece was not given up for a large one";
  a.set_limit(0);
  EXPECT_EQ(a.try_allocate(8000, 1), nullptr);
}

TEST(Arena, TakesSmallerPiecesIfUpstreamHasNoLargerOnes) {
  watched_upstream up;
  up.largest = 20'000;
  watched a(up);
  for (int i = 0; i < 1000; ++i) static_cast<void>(a.allocate(1000, 1));
  EXPECT_LE(up.blocks(), 100u) << "pieces are smaller than upstream allows";
  up.capacity = up.held();
  const arena_stats before = a.stats();
  EXPECT_EQ(a.try_allocate(20'000, 1), nullptr);
  EXPECT_EQ(a.stats().used_bytes, before.used_bytes);
  EXPECT_EQ(a.stats().free_bytes, before.free_bytes);
}

TEST(Arena, ReserveAvoidsLaterCallsOfUpstream) {
  watched_upstream up;
  watched a(up);
  a.reserve(100'000);
  EXPECT_EQ(up.calls, 1);
  for (int i = 0; i < 1000; ++i) static_cast<void>(a.allocate(100, 1));
  EXPECT_EQ(up.calls, 1);
  a.set_limit(0);
  EXPECT_THROW(a.reserve(1'000'000), arena_exhausted);
}

TEST(Arena, OverAlignedBlocksInSmallPieces) {
  watched_upstream up;
  for (std::size_t align = 1; align <= 1 << 20; align *= 2) {
    watched a(up);
    for (int i = 0; i < 3; ++i) {
      char* p = take(a, 10, align);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      std::memset(p, i, 10);
    }
  }
}

TEST(Arena, OwnsItsBlocks) {
  char buffer[64];
  arena a(buffer, sizeof buffer);
  char* const p = take(a, 40);
  char* const q = take(a, 5000);
  EXPECT_TRUE(a.owns(p) && a.owns(p + 39) && a.owns(q) && a.owns(q + 4999));
  EXPECT_FALSE(a.owns(p + 40) || a.owns(q + 5000) || a.owns(nullptr) || a.owns(&a));
}

}  // namespace
}  // namespace heapsmith
