// Blocks, strings and options of mimalloc's interface.
#include <errno.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>
#include <string>

#include "adapt/dialects/mimalloc/functions.h"
#include "heapsmith/heapsmith.h"

#if defined(HEAPSMITH_UNDER_ASAN)
// Requests that no allocator can serve are refused by the runtime of C++, which calls malloc.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif

namespace {

const volatile std::size_t half = std::size_t{1} << 63;

bool is_zero(const void* p, std::size_t from, std::size_t to) {
  const auto* bytes = static_cast<const char*>(p);
  return std::all_of(bytes + from, bytes + to, [](char c) { return c == 0; });
}

TEST(Mimalloc, AllocatesInEveryWay) {
  for (void* p : {mi_malloc(100), mi_malloc_small(100), mi_mallocn(10, 10), mi_zalloc(100),
                  mi_zalloc_small(100), mi_calloc(10, 10), mi_realloc(nullptr, 100),
                  mi_malloc_aligned(100, 64), mi_zalloc_aligned(100, 64),
                  mi_calloc_aligned(10, 10, 64), mi_memalign(64, 100), mi_aligned_alloc(64, 100),
                  mi_valloc(100), mi_pvalloc(100), mi_new(100), mi_new_n(10, 10),
                  mi_new_aligned(100, 64), mi_new_nothrow(100), mi_reallocarray(nullptr, 10, 10)}) {
    ASSERT_NE(p, nullptr);
    EXPECT_GE(mi_usable_size(p), 100u);
    EXPECT_TRUE(mi_check_owned(p));
    p = mi_realloc(p, 2000);
    EXPECT_EQ(mi_usable_size(p), mi_good_size(2000));
    EXPECT_EQ(mi_expand(p, 10), p) << "a block is never made smaller";
    EXPECT_EQ(mi_expand(p, 1 << 20), nullptr);
    mi_free_size(p, 2000);
  }
  mi_free(nullptr);
}

TEST(Mimalloc, RefusesWhatCannotBe) {
  EXPECT_EQ(mi_malloc(half), nullptr);
  EXPECT_EQ(mi_mallocn(half, 2), nullptr);
  EXPECT_EQ(mi_calloc(half, 2), nullptr);
  EXPECT_THROW(mi_new(half), std::bad_alloc);
  EXPECT_THROW(mi_new_n(half, 2), std::bad_alloc);
#if !defined(HEAPSMITH_UNDER_ASAN)  // its operator new aborts
  EXPECT_EQ(mi_new_nothrow(half), nullptr);
#endif
  errno = 0;
  EXPECT_EQ(mi_malloc_aligned(100, 48), nullptr);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(mi_malloc_aligned_at(100, 64, 8), nullptr) << "no block begins there";
  EXPECT_EQ(errno, EINVAL);
  void* p = mi_malloc_aligned_at(1000, 64, 640);
  EXPECT_EQ((reinterpret_cast<std::uintptr_t>(p) + 640) % 64, 0u);
  mi_free(p);
  EXPECT_EQ(mi_posix_memalign(&p, 3, 100), EINVAL);
  EXPECT_EQ(mi_posix_memalign(&p, 64, half), ENOMEM);
}

TEST(Mimalloc, ReallocKeepsTheBlockOnFailureAndReallocfDoesNot) {
  char* p = static_cast<char*>(mi_malloc(100));
  p[99] = 7;
  EXPECT_EQ(mi_realloc(p, half), nullptr);
  EXPECT_THROW(mi_new_realloc(p, half), std::bad_alloc);
  EXPECT_EQ(p[99], 7);
  EXPECT_EQ(mi_reallocarr(&p, half, 2), ENOMEM);
  EXPECT_EQ(mi_reallocarr(&p, 100, 100), 0);
  EXPECT_EQ(p[99], 7);
  hs_statistics before, after;
  before.size = after.size = sizeof before;
  hs_stats(&before);
  const std::size_t bytes = mi_usable_size(p);
  EXPECT_EQ(mi_reallocf(p, half), nullptr);
  hs_stats(&after);
  EXPECT_EQ(after.in_use_bytes + bytes, before.in_use_bytes);
}

TEST(Mimalloc, ReallocToNothingGivesABlock) {
  void* p = mi_realloc(mi_malloc(100), 0);
  EXPECT_NE(p, nullptr);
  mi_free(p);
}

TEST(Mimalloc, ZeroedBlocksHaveNoTailThatIsNot) {
  void* const dirty = mi_malloc(2 << 20);  // a span for the block may be cut from its own
  memset(dirty, 1, 2 << 20);
  mi_free(dirty);
  void* const p = mi_zalloc(100'000);
  EXPECT_TRUE(is_zero(p, 0, mi_usable_size(p)));
  mi_free(p);
}

TEST(Mimalloc, RezallocClearsGrowth) {
  for (const std::size_t align : {16ul, 256ul}) {
    char* p = static_cast<char*>(mi_zalloc_aligned(100, align));
    EXPECT_TRUE(is_zero(p, 0, mi_usable_size(p)));
    for (const std::size_t size : {110ul, 700ul, 20'000ul, 90'000ul, 1ul << 20}) {
      void* dirty = mi_malloc(size);
      memset(dirty, 1, size);
      mi_free(dirty);
      p = static_cast<char*>(align == 16 ? mi_rezalloc(p, size)
                                         : mi_rezalloc_aligned(p, size, align));
      EXPECT_TRUE(is_zero(p, 0, mi_usable_size(p))) << size;
    }
    mi_free(p);
  }
  int* n = static_cast<int*>(mi_recalloc(mi_calloc(3, sizeof(int)), 1000, sizeof(int)));
  EXPECT_TRUE(is_zero(n, 0, 4000));
  mi_free(n);
}

TEST(Mimalloc, CopiesStrings) {
  char* a = mi_strdup("heap");
  char* b = mi_strndup("heapsmith", 4);
  EXPECT_STREQ(a, b);
  EXPECT_EQ(mi_strdup(nullptr), nullptr);
  char* path = mi_realpath("/proc/../", nullptr);
  EXPECT_STREQ(path, "/");
  EXPECT_EQ(mi_realpath("/nothing/here", nullptr), nullptr);
  setenv("HEAPSMITH_TEST_VALUE", "some", 1);
  char* value;
  std::size_t size;
  EXPECT_EQ(mi_dupenv_s(&value, &size, "HEAPSMITH_TEST_VALUE"), 0);
  EXPECT_EQ(std::string(value, size), "some");
  for (char* p : {a, b, path, value}) mi_free(p);
}

TEST(Mimalloc, LeavesForeignPointersToCfree) {
  int here = 0;
  mi_cfree(&here);
  EXPECT_FALSE(mi_check_owned(&here));
  EXPECT_FALSE(mi_is_in_heap_region(&here));
  mi_cfree(mi_malloc(10));
}

TEST(Mimalloc, KeepsOptionsWithoutAnEffect) {
  constexpr unsigned show_stats = 1, decommit_delay = 15, large_os_pages = 6;
  EXPECT_EQ(mi_option_get(show_stats), 0);
  mi_option_set_default(show_stats, 3);
  EXPECT_EQ(mi_option_get(show_stats), 3);
  mi_option_set(show_stats, 2);
  mi_option_set_default(show_stats, 9);
  EXPECT_EQ(mi_option_get(show_stats), 2) << "a default does not replace a value";
  EXPECT_EQ(mi_option_get_clamp(show_stats, 5, 8), 5);
  mi_option_enable(large_os_pages);
  EXPECT_TRUE(mi_option_is_enabled(large_os_pages));
  EXPECT_EQ(mi_option_get(1000), 0);
  mi_option_set(1000, 1);
  EXPECT_EQ(mi_option_get(decommit_delay), 1000);
  mi_option_set(decommit_delay, 30);
  EXPECT_EQ(mi_option_get(decommit_delay), 30) << "the purge delay";
}

TEST(Mimalloc, TellsOfTheProcess) {
  std::size_t elapsed, user, system, rss, peak_rss, commit, peak_commit, faults;
  mi_process_info(&elapsed, &user, &system, &rss, &peak_rss, &commit, &peak_commit, &faults);
  EXPECT_GT(rss, 0u);
  EXPECT_LE(rss, peak_rss + (1 << 20));
  EXPECT_LE(commit, peak_commit);
  mi_process_info(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  std::string text;
  mi_stats_print_out([](const char* part, void* to) { *static_cast<std::string*>(to) += part; },
                     &text);
  EXPECT_NE(text.find("heapsmith 0."), text.npos);
  EXPECT_EQ(mi_version() / 100, 2);
}

TEST(Mimalloc, CollectsByForce) {
  void* p = mi_malloc(8 << 20);
  memset(p, 1, 8 << 20);
  mi_free(p);
  mi_collect(false);
  hs_statistics s;
  s.size = sizeof s;
  mi_collect(true);
  hs_stats(&s);
  EXPECT_EQ(s.cached_bytes, 0u);
}

}  // namespace
