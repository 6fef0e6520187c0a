// mallocx and its kin: flags, sizes, arenas.
#include <errno.h>
#include <string.h>

#include "dialects/control.hpp"
#include "heapsmith/heapsmith.h"

namespace {

using namespace heapsmith::testing;

constexpr int zero = 0x40;
constexpr int no_cache = 1 << 8;
constexpr int some_cache = (7 + 2) << 8;
constexpr int lg_align(int lg) {
  return lg;
}
constexpr int arena(unsigned n) {
  return static_cast<int>((n + 1) << 20);
}

bool is_zero(const void* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (static_cast<const char*>(p)[i] != 0) return false;
  return true;
}

/// Leaves memory that is not zero where the next blocks lie.
void spoil(std::size_t size) {
  void* p[64];
  for (void*& q : p) memset(q = hs_malloc(size), 0xaa, size);
  for (void* q : p) hs_free(q);
}

TEST(Mallocx, GivesTheUsableSizeThatNallocxSays) {
  for (const std::size_t size : {1ul, 100ul, 5000ul, 40'000ul, 3ul << 20, 40ul << 20}) {
    for (const int flags : {0, zero, no_cache, lg_align(3), lg_align(8), lg_align(14) | zero}) {
      void* p = mallocx(size, flags);
      EXPECT_EQ(sallocx(p, 0), nallocx(size, flags)) << size << " " << flags;
      EXPECT_GE(sallocx(p, flags), size);
      EXPECT_EQ(hs_malloc_usable_size(p), sallocx(p, 0));
      sdallocx(p, size, flags);
    }
  }
}

TEST(Mallocx, AlignsBlocks) {
  for (int lg = 0; lg <= 21; ++lg) {
    void* p = mallocx(100, lg_align(lg) | some_cache);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (std::uintptr_t{1} << lg), 0u) << lg;
    dallocx(p, no_cache);
  }
}

TEST(Mallocx, ClearsAllUsableBytes) {
  for (const std::size_t size : {100ul, 1000ul, 30'000ul, 100'000ul, 40ul << 20}) {
    for (const int align : {0, 6, 13}) {
      if (size < 200'000) spoil(size);
      if (size < 200'000) spoil(2 << 20);  // of which a span for it may be cut
      void* p = mallocx(size, zero | lg_align(align));
      EXPECT_TRUE(is_zero(p, sallocx(p, 0))) << size << " " << align;
      dallocx(p, 0);
    }
  }
}

TEST(Mallocx, RefusesSizesThatNoObjectCanHave) {
  const volatile std::size_t half = std::size_t{1} << 63;
  EXPECT_EQ(mallocx(half, 0), nullptr);
  EXPECT_EQ(mallocx(half, zero), nullptr);
  EXPECT_EQ(mallocx(half, lg_align(12)), nullptr);
  EXPECT_EQ(nallocx(half, 0), 0u);
  EXPECT_EQ(nallocx(half - 10, lg_align(12)), 0u);
  EXPECT_EQ(nallocx(100, lg_align(63)), 0u);
  void* p = mallocx(100, 0);
  memset(p, 7, 100);
  EXPECT_EQ(rallocx(p, half, 0), nullptr);
  EXPECT_EQ(rallocx(p, half, zero | lg_align(12)), nullptr);
  EXPECT_EQ(static_cast<char*>(p)[99], 7) << "the block is intact";
  dallocx(p, 0);
}

TEST(Rallocx, KeepsContentsAndClearsGrowth) {
  for (const int flags : {zero, zero | lg_align(12), zero | no_cache}) {
    std::size_t before = 100;
    char* p = static_cast<char*>(mallocx(before, flags));
    memset(p, 1, before);
    for (const std::size_t size : {3000ul, 50'000ul, 200'000ul, 40ul << 20, 50ul << 20}) {
      spoil(size < 300'000 ? size : 100);
      const std::size_t had = sallocx(p, 0);
      p = static_cast<char*>(rallocx(p, size, flags));
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(p[99], 1);
      EXPECT_TRUE(is_zero(p + had, sallocx(p, 0) - had)) << size;
      const std::uintptr_t align = std::uintptr_t{1} << (flags & 0x3f);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    }
    dallocx(p, 0);
  }
}

TEST(Rallocx, ClearsWhatABlockThatMovesDidNotAskFor) {
  for (const int flags : {zero, zero | lg_align(8)}) {
    char* p = static_cast<char*>(memset(mallocx(5000, flags), 1, 5000));
    spoil(300);
    p = static_cast<char*>(rallocx(p, 300, flags));
    EXPECT_EQ(p[299], 1);
    EXPECT_TRUE(is_zero(p + 300, sallocx(p, 0) - 300));
    dallocx(p, 0);
  }
}

TEST(Rallocx, MovesABlockToTheArenaOfItsFlags) {
  const unsigned a = create_arena();
  void* p = mallocx(100, 0);
  memset(p, 5, 100);
  p = rallocx(p, 10'000, arena(a));
  EXPECT_EQ(static_cast<char*>(p)[99], 5);
  unsigned found = 0;
  std::size_t length = sizeof found;
  EXPECT_EQ(mallctl("arenas.lookup", &found, &length, &p, sizeof p), 0);
  EXPECT_EQ(found, a);
  p = rallocx(p, 50'000, lg_align(12));  // and it stays there
  EXPECT_EQ(mallctl("arenas.lookup", &found, &length, &p, sizeof p), 0);
  EXPECT_EQ(found, a);
  dallocx(p, 0);
}

TEST(Xallocx, ResizesInPlaceOrNotAtAll) {
  void* small = mallocx(100, 0);
  EXPECT_EQ(xallocx(small, 5000, 0, 0), sallocx(small, 0));
  EXPECT_EQ(sallocx(small, 0), nallocx(100, 0));
  dallocx(small, 0);

  char* large = static_cast<char*>(mallocx(1 << 20, zero));
  memset(large, 1, 1 << 20);
  EXPECT_EQ(xallocx(large, 200'000, 0, 0), 256u * 1024) << "it shrinks";
  EXPECT_EQ(xallocx(large, 600'000, 100'000, zero), 704u * 1024) << "and grows by as much again";
  EXPECT_TRUE(is_zero(large + 256 * 1024, 448 * 1024));
  EXPECT_EQ(large[200'000], 1);
  const std::size_t before = sallocx(large, 0);
  EXPECT_EQ(xallocx(large, 1, SIZE_MAX, 0), before) << "a sum that overflows is as much as fits";
  dallocx(large, 0);
}

TEST(Mallocx, CountsBlocksOfAnArena) {
  const unsigned a = create_arena();
  void* p = mallocx(100, arena(a) | zero);
  void* q = mallocx(100'000, arena(a) | lg_align(12));
  const std::string stats = "stats.arenas." + std::to_string(a);
  EXPECT_EQ(value_of<std::size_t>(stats + ".small.allocated"), sallocx(p, 0));
  EXPECT_EQ(value_of<std::size_t>(stats + ".large.allocated"), sallocx(q, 0));
  dallocx(p, 0);
  EXPECT_EQ(value_of<std::size_t>(stats + ".small.allocated"), 0u);
  dallocx(q, 0);
}

TEST(Mallocx, RefusesAnArenaThatDoesNotExist) {
  errno = 0;
  EXPECT_EQ(mallocx(100, arena(3000)), nullptr);
  EXPECT_EQ(errno, EINVAL);
  void* p = mallocx(100, arena(0));
  EXPECT_NE(p, nullptr) << "arena 0 is the process's heap";
  dallocx(p, arena(0));
}

}  // namespace
