// Resizing: what stays in place, what moves, and that contents come along.
#include <algorithm>
#include <random>

#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

TEST(Reallocate, StaysWhileAtLeastHalfIsUsed) {
  void* p = allocate(1000);  // a block of 1024
  EXPECT_EQ(reallocate(p, 1024), p);
  EXPECT_EQ(reallocate(p, 512), p);
  void* q = reallocate(p, 511);
  EXPECT_NE(q, p);
  EXPECT_EQ(usable_bytes(q), good_bytes(511));
}

TEST(Reallocate, KeepsContentsBetweenAllKindsOfBlocks) {
  const std::size_t sizes[] = {1,        16,        100,     1024,     5000,     32 * KiB,
                               64 * KiB, 200 * KiB, 3 * MiB, 31 * MiB, 33 * MiB, 40 * MiB};
  unsigned seed = 0;
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      void* p = allocate(from);
      test::fill(p, from, ++seed);
      p = reallocate(p, to);
      ASSERT_NE(p, nullptr);
      ASSERT_TRUE(test::is_filled(p, std::min(from, to), seed)) << from << " to " << to;
      ASSERT_GE(usable_bytes(p), to);
      test::fill(p, to, seed + 1);
      deallocate(p);
    }
  }
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Reallocate, LargeBlockGrowsIntoAFreeNeighbour) {
  char* p = static_cast<char*>(test::allocate_span(4 * slice_bytes));
  void* neighbour = test::allocate_span(3 * slice_bytes);
  void* guard = test::allocate_span(slice_bytes);
  test::fill(p, 4 * slice_bytes, 1);
  EXPECT_FALSE(try_expand(p, 5 * slice_bytes));
  deallocate(neighbour);
  EXPECT_EQ(reallocate(p, 7 * slice_bytes), p);
  EXPECT_TRUE(test::is_filled(p, 4 * slice_bytes, 1));
  EXPECT_EQ(usable_bytes(p), 7 * slice_bytes);
  void* q = reallocate(p, 8 * slice_bytes);
  EXPECT_NE(q, p);
  EXPECT_TRUE(test::is_filled(q, 4 * slice_bytes, 1));
  deallocate(guard);
}

/// 20 free slices between used memory. Each half of them was used since the last purge, or was not.
struct room {
  static constexpr std::size_t half_bytes = 10 * slice_bytes;
  char* halves[2];
  void* guards[2];

  room(bool first_is_used, bool second_is_used) {
    guards[0] = allocate(2 * slice_bytes);
    for (char*& half : halves) half = static_cast<char*>(allocate(half_bytes));
    guards[1] = allocate(2 * slice_bytes);
    EXPECT_EQ(halves[1], halves[0] + half_bytes);
    EXPECT_EQ(guards[1], halves[1] + half_bytes);
    for (char* half : halves) memset(half, 0xff, half_bytes);
    if (!first_is_used) deallocate(halves[0]);
    if (!second_is_used) deallocate(halves[1]);
    hs_purge();
    if (first_is_used) deallocate(halves[0]);
    if (second_is_used) deallocate(halves[1]);
  }
  room(const room&) = delete;
  ~room() {
    for (void* guard : guards) deallocate(guard);
  }
};

TEST(Reallocate, PagesThatWereNeverWrittenTakeNoMemoryWhereABlockMovesTo) {
  spans::set_cache_cap(spans::never_purge);
  const std::size_t page = test::os_page();
  if (page * 256 > 16 * slice_bytes) GTEST_SKIP() << "the block has too few pages";
  for (const std::size_t to : {20 * slice_bytes, 40 * MiB}) {
    for (const bool used : {false, true}) {
      hs_purge();
      char* p = static_cast<char*>(allocate(16 * slice_bytes));
      const room here(used, used);
      for (const std::size_t at : {std::size_t{0}, 3 * page, 50 * page, 255 * page}) p[at + 7] = 1;
      p = static_cast<char*>(reallocate(p, to));
      if (to < direct_map_min) {
        EXPECT_EQ(p, here.halves[0]);
      }
      EXPECT_EQ(test::resident_bytes(p, 16 * slice_bytes), 4 * page) << to << used;
      deallocate(p);
    }
  }
}

TEST(Reallocate, ABlockThatMovesReadsTheSameWhateverLayThere) {
  spans::set_cache_cap(spans::never_purge);
  const std::size_t page = test::os_page(), bytes = 10 * slice_bytes;
  std::mt19937 random(5);
  for (unsigned round = 0; round < 40; ++round) {
    hs_purge();
    char* p = static_cast<char*>(allocate(bytes));
    const room here((round & 1) != 0, (round & 2) != 0);
    for (std::size_t at = 0; at < bytes;) {  // runs of pages of one kind
      const std::size_t end = std::min(bytes, at + (1 + random() % 20) * page);
      const unsigned kind = random() % 4;
      for (; at < end; at += page) {
        memset(p + at, kind == 3 ? 0xee : 0, page);
        if (kind == 1) p[at] = 1;
        if (kind == 2) p[at + page - 1] = 2;
      }
    }
    const std::vector<char> before(p, p + bytes);
    p = static_cast<char*>(reallocate(p, 20 * slice_bytes));
    EXPECT_EQ(p, here.halves[0]);
    ASSERT_EQ(memcmp(p, before.data(), bytes), 0) << round;
    deallocate(p);
  }
}

TEST(Reallocate, LargeBlockGivesItsTailBack) {
  char* p = static_cast<char*>(test::allocate_span(10 * slice_bytes));
  EXPECT_EQ(reallocate(p, 4 * slice_bytes - 5), p);
  EXPECT_EQ(usable_bytes(p), 4 * slice_bytes);
  EXPECT_EQ(test::allocate_span(6 * slice_bytes), p + 4 * slice_bytes);
  EXPECT_EQ(test::statistics().large_bytes, 10 * slice_bytes);
}

TEST(Reallocate, LeavesTheBlockIfOutOfMemory) {
  char* p = static_cast<char*>(allocate(100));
  char* large = static_cast<char*>(allocate(3 * slice_bytes));
  void* guard = allocate(slice_bytes);
  test::fill(p, 100, 1);
  test::fill(large, 3 * slice_bytes, 2);
  hs_set_limit(1);
  for (const std::size_t bytes : {2 * MiB, 40 * MiB, object_max, object_max + 1}) {
    errno = 0;
    EXPECT_EQ(reallocate(p, bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(reallocate(large, bytes), nullptr);
  }
  EXPECT_TRUE(test::is_filled(p, 100, 1));
  EXPECT_TRUE(test::is_filled(large, 3 * slice_bytes, 2));
  EXPECT_EQ(reallocate(large, 40 * KiB), large) << "shrinking needs no memory";
  hs_set_limit(0);
  deallocate(guard);
}

TEST(Reallocate, ADirectMapGivesBackWhatItLosesAtItsEnd) {
  void* p = allocate(100 * MiB);
  memset(p, 1, 100 * MiB);
  for (const std::size_t bytes : {99 * MiB, 60 * MiB, 33 * MiB, 16 * MiB, 4 * MiB}) {
    EXPECT_EQ(reallocate(p, bytes), p) << bytes;
    EXPECT_EQ(usable_bytes(p), bytes);
    EXPECT_FALSE(test::is_mapped(static_cast<char*>(p) + bytes)) << bytes;
  }
  void* small = reallocate(p, MiB);
  EXPECT_NE(small, p);
  EXPECT_FALSE(test::is_mapped(p)) << "a small block takes no mapping of its own";
  deallocate(small);
}

TEST(TryExpand, ReportsItsSuccessAndChangesNothingElse) {
  void* p = allocate(100);  // a block of 112
  EXPECT_TRUE(try_expand(p, 112));
  EXPECT_FALSE(try_expand(p, 113));
  EXPECT_TRUE(try_expand(p, 1));
  EXPECT_EQ(usable_bytes(p), 112u);
  void* large = test::allocate_span(slice_bytes);
  EXPECT_EQ(hs_try_expand(large, 5 * slice_bytes), 0) << "nothing lies behind it";
  EXPECT_EQ(usable_bytes(large), 5 * slice_bytes);
  EXPECT_EQ(hs_try_expand(large, SIZE_MAX), ENOMEM);
  EXPECT_EQ(hs_try_expand(large, 64 * MiB), ENOMEM);
  EXPECT_EQ(hs_try_expand(nullptr, 1), ENOMEM);
  void* direct = allocate(40 * MiB);
  EXPECT_EQ(hs_try_expand(direct, 40 * MiB), 0);
  EXPECT_EQ(hs_try_expand(direct, 80 * MiB), ENOMEM);
}

TEST(AlignedRealloc, KeepsAlignmentAndContents) {
  std::mt19937 random(3);
  for (std::size_t align = 1; align <= 256 * KiB; align *= 4) {
    std::size_t bytes = 100;
    void* p = hs_aligned_realloc(nullptr, align, bytes);
    for (unsigned step = 0; step < 60; ++step) {
      test::fill(p, bytes, step);
      const std::size_t next = 1 + random() % (step % 10 == 0 ? 3 * MiB : 10'000);
      p = hs_aligned_realloc(p, align, next);
      ASSERT_NE(p, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      ASSERT_TRUE(test::is_filled(p, std::min(bytes, next), step)) << bytes << " to " << next;
      bytes = next;
    }
    EXPECT_EQ(hs_aligned_realloc(p, align, 0), nullptr);
  }
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(AlignedRealloc, MovesABlockThatIsNotAlignedEnough) {
  const std::vector<void*> b = test::allocate_many(3, 48);
  void* p = nullptr;
  for (void* q : b)
    if (reinterpret_cast<std::uintptr_t>(q) % 64 != 0) p = q;
  ASSERT_NE(p, nullptr);
  test::fill(p, 48, 1);
  void* q = hs_aligned_realloc(p, 64, 48);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % 64, 0u);
  EXPECT_TRUE(test::is_filled(q, 48, 1));
}

TEST(GoodSize, IsTheUsableSizeOfTheBlock) {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 70 * KiB; n += n < 2 * KiB ? 1 : 97) sizes.push_back(n);
  for (const std::size_t n :
       {MiB - 1, MiB, MiB + 1, direct_map_min - 1, direct_map_min, direct_map_min + 1})
    sizes.push_back(n);
  for (const std::size_t n : sizes) {
    void* p = allocate(n);
    ASSERT_EQ(hs_good_size(n), hs_malloc_usable_size(p)) << n;
    ASSERT_GE(hs_good_size(n), n);
    test::fill(p, hs_malloc_usable_size(p), 1);
    deallocate(p);
  }
  EXPECT_GE(hs_good_size(SIZE_MAX), std::size_t{1});
  EXPECT_EQ(hs_malloc_usable_size(nullptr), 0u);
}

TEST(SizedFree, KnowsTheSizesABlockMayHave) {
  const std::size_t sizes[] = {0,    1,        24,       48,      100,     1024,
                               5000, 32 * KiB, 33 * KiB, 3 * MiB, 40 * MiB};
  for (const std::size_t bytes : sizes)
    for (std::size_t align = 1; align <= 64 * MiB; align *= 4) {
      void* p = allocate_aligned(bytes, align);
      ASSERT_NE(p, nullptr);
      EXPECT_TRUE(fits_request(p, bytes, align)) << bytes << " at " << align;
      EXPECT_TRUE(may_hold(p, usable_bytes(p)));
      EXPECT_FALSE(may_hold(p, usable_bytes(p) + 1));
      EXPECT_FALSE(fits_request(p, usable_bytes(p) + 1, align)) << bytes << " at " << align;
      deallocate(p);
    }
}

TEST(SizedFree, KnowsThatABlockMayHaveShrunk) {
  void* p = allocate(1000);
  ASSERT_EQ(reallocate(p, 600), p);
  EXPECT_FALSE(fits_request(p, 600));
  EXPECT_TRUE(may_hold(p, 600));
  deallocate(p);
}

TEST(SizedFree, AcceptsAnySizeForForeignBlocks) {
  int other = 0;
  EXPECT_TRUE(fits_request(&other, 4000));
  EXPECT_TRUE(may_hold(&other, 4000));
}

TEST(Reallocate, OfNullAllocatesAndToNothingFrees) {
  void* p = reallocate(nullptr, 100);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(usable_bytes(p), good_bytes(100));
  for (const std::size_t bytes : {std::size_t{100}, 3 * MiB, 40 * MiB}) {
    p = reallocate(p, bytes);
    EXPECT_EQ(reallocate(p, 0), nullptr);
    EXPECT_EQ(test::statistics().in_use_bytes, 0u);
    p = nullptr;
  }
}

}  // namespace
}  // namespace heapsmith
