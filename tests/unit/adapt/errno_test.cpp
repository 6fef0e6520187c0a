// The errno rules of POSIX and glibc, function by function.
#include <errno.h>
#include <gtest/gtest.h>
#include <stdint.h>
#include <string.h>

#include <functional>

#include "heapsmith/heapsmith.h"

namespace {

constexpr size_t object_max = PTRDIFF_MAX;
// Hidden from the compiler, which would warn of impossible sizes.
volatile size_t too_much[] = {object_max + size_t{1}, SIZE_MAX - 4096, SIZE_MAX};

TEST(Errno, IsEnomemForSizesAboveTheMaximumOfAnObject) {
  void* out = &out;
  const std::function<void*(size_t)> calls[] = {
      [](size_t n) { return hs_malloc(n); },
      [](size_t n) { return hs_calloc(1, n); },
      [](size_t n) { return hs_calloc(n, 1); },
      [](size_t n) { return hs_realloc(nullptr, n); },
      [](size_t n) { return hs_reallocarray(nullptr, 1, n); },
      [](size_t n) { return hs_aligned_realloc(nullptr, 64, n); },
      [](size_t n) { return hs_memalign(64, n); },
      [](size_t n) { return hs_memalign(8, n); },
      [](size_t n) { return hs_aligned_alloc(1 << 20, n); },
      [](size_t n) { return hs_valloc(n); },
      [](size_t n) { return hs_pvalloc(n); },
  };
  for (const size_t n : too_much) {
    for (const auto& call : calls) {
      errno = 0;
      EXPECT_EQ(call(n), nullptr) << &call - calls;
      EXPECT_EQ(errno, ENOMEM) << &call - calls;
    }
    EXPECT_EQ(hs_posix_memalign(&out, 64, n), ENOMEM);
    EXPECT_EQ(out, &out);
    EXPECT_EQ(hs_prefault(n), ENOMEM);
  }
}

TEST(Errno, IsEnomemIfAProductOverflows) {
  const volatile size_t half = size_t{1} << 32, all = SIZE_MAX, two = 2, three = 3;
  void* p = hs_malloc(100);
  memset(p, 5, 100);
  errno = 0;
  EXPECT_EQ(hs_calloc(half, half), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(hs_calloc(all, two), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(hs_calloc(three, all / 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(hs_reallocarray(p, half, half + 1), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(static_cast<char*>(p)[99], 5) << "the block is intact";
  hs_free(p);
}

TEST(Errno, ReallocOfAnImpossibleSizeLeavesTheBlock) {
  for (const size_t from : {size_t{100}, size_t{100'000}, size_t{40} << 20}) {
    char* p = static_cast<char*>(hs_malloc(from));
    p[0] = p[from - 1] = 3;
    for (const size_t n : too_much) {
      errno = 0;
      EXPECT_EQ(hs_realloc(p, n), nullptr);
      EXPECT_EQ(errno, ENOMEM);
      EXPECT_EQ(hs_aligned_realloc(p, 16, n), nullptr);
      EXPECT_EQ(hs_aligned_realloc(p, 4096, n), nullptr);
      EXPECT_EQ(hs_try_expand(p, n), ENOMEM);
    }
    EXPECT_EQ(p[0] + p[from - 1], 6);
    hs_free(p);
  }
}

TEST(Errno, IsEinvalForAlignmentsThatAreNotPowersOfTwo) {
  for (const size_t align : {size_t{0}, size_t{3}, size_t{24}, SIZE_MAX, (size_t{1} << 63) + 1}) {
    errno = 0;
    EXPECT_EQ(hs_aligned_alloc(align, 10), nullptr) << align;
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(hs_aligned_realloc(nullptr, align, 10), nullptr);
    EXPECT_EQ(errno, EINVAL);
  }
  errno = 0;
  EXPECT_EQ(hs_memalign((size_t{1} << 63) + 1, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(Errno, IsReturnedByPosixMemalign) {
  void* out = &out;
  errno = 77;
  for (const size_t align :
       {size_t{0}, size_t{1}, size_t{2}, size_t{4}, size_t{12}, size_t{24}, SIZE_MAX}) {
    EXPECT_EQ(hs_posix_memalign(&out, align, 10), EINVAL) << align;
    EXPECT_EQ(out, &out);
  }
  EXPECT_EQ(errno, 77) << "EINVAL is returned, not set";
  EXPECT_EQ(hs_posix_memalign(&out, sizeof(void*), 10), 0);
  EXPECT_EQ(errno, 77);
  hs_free(out);
}

TEST(Errno, HasNoPartInTheResultsOfFunctionsThatAct) {
  hs_statistics s = {};
  hs_heap_statistics of_heap = {};
  hs_heap* const heap = hs_heap_create();
  void* const p = hs_heap_malloc(heap, 100);
  errno = 77;
  EXPECT_EQ(hs_stats(&s), EINVAL);
  EXPECT_EQ(hs_stats(nullptr), EINVAL);
  EXPECT_EQ(hs_heap_stats(heap, &of_heap), EINVAL);
  EXPECT_EQ(hs_heap_stats(heap, nullptr), EINVAL);
  EXPECT_EQ(hs_try_expand(p, 100'000), ENOMEM);
  EXPECT_EQ(hs_try_expand(nullptr, 1), ENOMEM);
  EXPECT_EQ(hs_prefault(SIZE_MAX), ENOMEM);
  EXPECT_EQ(hs_try_expand(p, 100), 0);
  of_heap.size = sizeof of_heap;
  EXPECT_EQ(hs_heap_stats(heap, &of_heap), 0);
  EXPECT_EQ(errno, 77);
  hs_heap_destroy(heap);
}

TEST(Errno, IsPreservedByFreeAndBySuccess) {
  for (const size_t n : {size_t{10}, size_t{100'000}, size_t{40} << 20}) {
    void* p = hs_malloc(n);
    memset(p, 1, n);
    hs_set_limit(0);
    errno = 77;
    hs_free(p);
    EXPECT_EQ(errno, 77) << n;
  }
  errno = 77;
  hs_free(nullptr);
  hs_free_sized(hs_malloc(10), 10);
  hs_free_aligned_sized(hs_aligned_alloc(64, 128), 64, 128);
  hs_cfree(hs_malloc(1));
  hs_purge();
  EXPECT_EQ(errno, 77);
}

}  // namespace
