// The C interface of gperftools.
#include "adapt/dialects/tcmalloc/functions.h"

#include <gtest/gtest.h>
#include <string.h>

#include <string>

#include "heapsmith/heapsmith.h"

namespace {

std::size_t value_of(const char* property) {
  std::size_t value = 0;
  EXPECT_EQ(MallocExtension_GetNumericProperty(property, &value), 1) << property;
  return value;
}

TEST(MallocExtension, PurgesNothingAtRateZero) {
  EXPECT_EQ(MallocExtension_GetMemoryReleaseRate(), 1);
  MallocExtension_SetMemoryReleaseRate(0);
  EXPECT_EQ(MallocExtension_GetMemoryReleaseRate(), 0);
  MallocExtension_SetMemoryReleaseRate(3);
  EXPECT_EQ(MallocExtension_GetMemoryReleaseRate(), 3);
}

TEST(MallocExtension, AgreesWithTheStatisticsOfTheHeap) {
  void* p = hs_malloc(100'000);
  void* q = hs_malloc(40 << 20);
  hs_statistics s;
  s.size = sizeof s;
  hs_stats(&s);
  EXPECT_EQ(value_of("generic.current_allocated_bytes"), s.in_use_bytes);
  EXPECT_EQ(value_of("generic.heap_size"), s.committed_bytes + s.direct_bytes);
  EXPECT_EQ(value_of("tcmalloc.pageheap_free_bytes"), s.cached_bytes);
  // A program adds these up, as the statistics of tcmalloc do.
  EXPECT_EQ(value_of("generic.heap_size"),
            value_of("generic.current_allocated_bytes") +
                value_of("tcmalloc.current_total_thread_cache_bytes") +
                value_of("tcmalloc.central_cache_free_bytes") +
                value_of("tcmalloc.transfer_cache_free_bytes") +
                value_of("tcmalloc.pageheap_free_bytes") +
                value_of("tcmalloc.pageheap_unmapped_bytes"));
  hs_free(p);
  hs_free(q);
}

TEST(MallocExtension, KnowsNoOtherProperties) {
  std::size_t value = 5;
  EXPECT_EQ(MallocExtension_GetNumericProperty("tcmalloc.nothing", &value), 0);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(MallocExtension_SetNumericProperty("generic.heap_size", 1), 0);
  EXPECT_EQ(MallocExtension_SetNumericProperty("tcmalloc.max_total_thread_cache_bytes", 1), 0);
}

TEST(MallocExtension, LimitsTheHeap) {
  EXPECT_EQ(value_of("tcmalloc.heap_limit_mb"), 0u);
  EXPECT_EQ(MallocExtension_SetNumericProperty("tcmalloc.heap_limit_mb", 64), 1);
  EXPECT_EQ(value_of("tcmalloc.heap_limit_mb"), 64u);
  EXPECT_EQ(tc_malloc(100 << 20), nullptr);
  EXPECT_EQ(MallocExtension_SetNumericProperty("tcmalloc.heap_limit_mb", 0), 1);
  tc_free(tc_malloc(100 << 20));
}

TEST(MallocExtension, ReleasesMemory) {
  const auto leave_dirty = [] {
    void* p = tc_malloc(8 << 20);
    memset(p, 1, 8 << 20);
    tc_free(p);
  };
  leave_dirty();
  EXPECT_GE(value_of("tcmalloc.pageheap_free_bytes"), 2u << 20);
  MallocExtension_ReleaseFreeMemory();
  EXPECT_EQ(value_of("tcmalloc.pageheap_free_bytes"), 0u);
  EXPECT_EQ(MallocExtension_SetNumericProperty("tcmalloc.aggressive_memory_decommit", 1), 1);
  EXPECT_EQ(value_of("tcmalloc.aggressive_memory_decommit"), 1u);
  leave_dirty();
  EXPECT_LE(value_of("tcmalloc.pageheap_free_bytes"), 1u << 20);
  EXPECT_EQ(MallocExtension_SetNumericProperty("tcmalloc.aggressive_memory_decommit", 0), 1);
}

TEST(MallocExtension, TellsBlocksFromOtherMemory) {
  int here = 0;
  for (const std::size_t size : {100ul, 100'000ul, 40ul << 20}) {
    void* p = tc_malloc(size);
    EXPECT_EQ(MallocExtension_GetOwnership(p), 1);
    EXPECT_EQ(MallocExtension_GetAllocatedSize(p), MallocExtension_GetEstimatedAllocatedSize(size));
    tc_free(p);
  }
  EXPECT_EQ(MallocExtension_GetOwnership(&here), 2);
}

TEST(MallocExtension, CountsBlocksBySize) {
  int before = 0, after = 0, histogram[64], again[64];
  std::size_t total = 0, more = 0;
  EXPECT_EQ(MallocExtension_MallocMemoryStats(&before, &total, histogram), 1);
  void* blocks[100];
  for (void*& p : blocks) p = tc_malloc(1000);
  EXPECT_EQ(MallocExtension_MallocMemoryStats(&after, &more, again), 1);
  EXPECT_EQ(after, before + 100);
  EXPECT_EQ(more, total + 100 * 1024);
  EXPECT_EQ(again[10], histogram[10] + 100) << "blocks of 1024 bytes";
  for (void* p : blocks) tc_free(p);
}

TEST(MallocExtension, MeasuresTheFreeBlocksOfAThread) {
  void *p = tc_malloc(1000), *q = tc_malloc(1000);
  const std::size_t with = MallocExtension_GetThreadCacheSize();
  tc_free(p);
  EXPECT_EQ(MallocExtension_GetThreadCacheSize(), with + 1024);
  tc_free(q);
}

TEST(MallocExtension, PrintsStatistics) {
  char text[4096], little[10];
  MallocExtension_GetStats(text, sizeof text);
  EXPECT_NE(std::string(text).find("heapsmith 0."), std::string::npos);
  MallocExtension_GetStats(little, sizeof little);
  EXPECT_STREQ(little, "heapsmith");
}

TEST(TcMalloc, IsMallocsFamilyAndOperatorNew) {
  for (void* p : {tc_malloc(100), tc_calloc(10, 10), tc_memalign(64, 100), tc_valloc(100),
                  tc_pvalloc(100), tc_new(100), tc_newarray(100), tc_new_nothrow(100, std::nothrow),
                  tc_new_aligned(100, std::align_val_t{256}), tc_malloc_skip_new_handler(100)}) {
    ASSERT_NE(p, nullptr);
    p = tc_realloc(p, 200);
    EXPECT_GE(tc_malloc_size(p), 200u);
    tc_free_sized(p, 200);
  }
  void* p = nullptr;
  EXPECT_EQ(tc_posix_memalign(&p, 7, 100), EINVAL);
  EXPECT_EQ(tc_posix_memalign(&p, 4096, 100), 0);
  tc_delete(p);
  const volatile std::size_t half = std::size_t{1} << 63;
  EXPECT_THROW(tc_new(half), std::bad_alloc);
#if !defined(HEAPSMITH_UNDER_ASAN)  // its operator new aborts
  EXPECT_EQ(tc_new_nothrow(half, std::nothrow), nullptr);
#endif
  int major, minor;
  EXPECT_STREQ(tc_version(&major, &minor, nullptr), "gperftools 2.10");
  EXPECT_EQ(major * 100 + minor, 210);
}

}  // namespace
