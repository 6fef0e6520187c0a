// malloc's family by its manual pages: what each function returns, at its edges.
#include <errno.h>
#include <gtest/gtest.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <bit>
#include <set>
#include <string>

#include "heapsmith/heapsmith.h"

namespace {

bool is_aligned(const void* p, size_t align) {
  return reinterpret_cast<uintptr_t>(p) % align == 0;
}

TEST(Family, ARequestOfZeroBytesGetsABlock) {
  std::set<void*> blocks;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(blocks.insert(hs_malloc(0)).second);
    EXPECT_TRUE(blocks.insert(hs_calloc(0, 5)).second);
    EXPECT_TRUE(blocks.insert(hs_calloc(5, 0)).second);
    EXPECT_TRUE(blocks.insert(hs_realloc(nullptr, 0)).second);
    EXPECT_TRUE(blocks.insert(hs_aligned_alloc(64, 0)).second);
    EXPECT_TRUE(blocks.insert(hs_valloc(0)).second);
    EXPECT_TRUE(blocks.insert(hs_pvalloc(0)).second);
  }
  EXPECT_EQ(blocks.count(nullptr), 0u);
  for (void* p : blocks) hs_free(p);
}

TEST(Family, ReallocOfNullAllocatesAndToZeroFrees) {
  hs_statistics s;
  s.size = sizeof s;
  for (const size_t n : {size_t{100}, size_t{100'000}, size_t{40} << 20}) {
    void* p = hs_realloc(nullptr, n);
    ASSERT_NE(p, nullptr);
    errno = 77;
    EXPECT_EQ(hs_realloc(p, 0), nullptr);
    EXPECT_EQ(errno, 77);
    EXPECT_EQ(hs_reallocarray(hs_malloc(n), 0, 5), nullptr);
    EXPECT_EQ(hs_reallocarray(hs_malloc(n), 5, 0), nullptr);
  }
  hs_stats(&s);
  EXPECT_EQ(s.in_use_bytes, 0u);
}

TEST(Family, ReallocarrayMultiplies) {
  void* p = hs_reallocarray(nullptr, 100, 50);
  EXPECT_GE(hs_malloc_usable_size(p), 5000u);
  EXPECT_LT(hs_malloc_usable_size(p), 6000u);
  hs_free(p);
}

TEST(Family, CallocClearsTheProduct) {
  for (size_t count = 1; count <= 100'000; count = count * 3 + 1) {
    void* dirty = hs_malloc(count * 7);
    memset(dirty, 0xff, count * 7);
    hs_free(dirty);
    char* p = static_cast<char*>(hs_calloc(count, 7));
    for (size_t i = 0; i < count * 7; ++i) ASSERT_EQ(p[i], 0) << i;
    hs_free(p);
  }
}

TEST(Family, MemalignRoundsUpToAPowerOfTwo) {
  for (size_t align = 0; align <= 70'000; align += align < 300 ? 1 : 999) {
    void* p = hs_memalign(align, 100);
    ASSERT_NE(p, nullptr) << align;
    EXPECT_TRUE(is_aligned(p, std::bit_ceil(align))) << align;
    hs_free(p);
  }
}

TEST(Family, AlignedAllocAcceptsAnySize) {
  for (size_t align = 1; align <= 4 << 20; align *= 2) {
    void* p = hs_aligned_alloc(align, 100);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, align));
    EXPECT_GE(hs_malloc_usable_size(p), 100u);
    hs_free(p);
    if (align < sizeof(void*)) continue;
    ASSERT_EQ(hs_posix_memalign(&p, align, 100), 0);
    EXPECT_TRUE(is_aligned(p, align));
    hs_free_aligned_sized(p, align, 100);
  }
}

TEST(Family, VallocAndPvallocGiveWholePages) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const size_t n :
       {size_t{0}, size_t{1}, page - 1, page, page + 1, 10 * page + 1, size_t{33} << 20}) {
    void* p = hs_valloc(n);
    void* q = hs_pvalloc(n);
    EXPECT_TRUE(is_aligned(p, page) && is_aligned(q, page));
    EXPECT_GE(hs_malloc_usable_size(p), n);
    EXPECT_GE(hs_malloc_usable_size(q), n <= 1 ? page : (n + page - 1) / page * page);
    hs_free(p);
    hs_free(q);
  }
}

TEST(Family, EveryBlockIsSixteenAligned) {
  for (size_t n = 0; n <= 3000; ++n) {
    void* p = hs_malloc(n);
    ASSERT_TRUE(is_aligned(p, 16)) << n;
    ASSERT_GE(hs_malloc_usable_size(p), n);
    memset(p, 1, hs_malloc_usable_size(p));
  }
}

TEST(Family, VersionMatchesTheHeader) {
  EXPECT_EQ(hs_version(), std::to_string(HEAPSMITH_VERSION_MAJOR) + "." +
                              std::to_string(HEAPSMITH_VERSION_MINOR) + "." +
                              std::to_string(HEAPSMITH_VERSION_PATCH));
}

}  // namespace
