// Large blocks: spans of their own, exactly as long as needed, reused and counted.
#include <algorithm>
#include <vector>

#include "heap/purge.hpp"
#include "heap/reclaim.hpp"
#include "spans/settings.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"
#include "threads/slow_section.hpp"

namespace heapsmith {
namespace {

TEST(Large, BeginsAboveTheLastClassAndEndsAtTheFirstDirectMap) {
  EXPECT_EQ(test::kind_behind(allocate(cached_block_max)), slice_kind::slab);
  EXPECT_EQ(test::kind_behind(allocate(cached_block_max + 1)), slice_kind::large);
  EXPECT_EQ(test::kind_behind(allocate(direct_map_min - 1)), slice_kind::large);
  EXPECT_EQ(spans::find_anywhere(allocate(direct_map_min)), nullptr);
}

TEST(Large, TakesNoMoreSlicesThanItNeeds) {
  std::size_t expected = 0;
  for (std::size_t bytes = cached_block_max + 1; bytes < 2 * MiB; bytes += 32'749) {
    void* p = allocate(bytes);
    expected += slices_for(bytes) * slice_bytes;
    EXPECT_EQ(usable_bytes(p), slices_for(bytes) * slice_bytes);
    EXPECT_EQ(spans::stats().in_use_bytes, expected);
  }
}

TEST(Large, ReusesAFreedHole) {
  void* a = test::allocate_span(5 * slice_bytes);
  void* guard = test::allocate_span(slice_bytes);
  memset(a, 1, 5 * slice_bytes);
  deallocate(a);
  EXPECT_EQ(test::allocate_span(2 * slice_bytes), a);
  EXPECT_EQ(test::allocate_span(3 * slice_bytes), static_cast<char*>(a) + 2 * slice_bytes);
  deallocate(guard);
}

TEST(Large, FindsMemoryInEmptySlabsBeforeGrowing) {
  // Fill the committed slices with slabs, free all blocks: some slabs stay kept, yet a large block
  // that needs their slices gets them before the frontier moves.
  const std::size_t n = slab_capacity(class_of(1024));
  const std::size_t slices_a_slab = slab_slices(class_of(1024));
  std::vector<void*> b = test::allocate_many(n * 8, 1024);
  while (spans::take(1, 1, spans::growth::forbidden)) {
  }
  test::free_all(b);
  const std::size_t committed = spans::stats().committed_bytes;
  EXPECT_NE(test::allocate_span(7 * slices_a_slab * slice_bytes), nullptr);
  EXPECT_EQ(spans::stats().committed_bytes, committed);
}

/// Whether a freed block of this length waits in a slab, and not in the cache of spans.
bool is_cached_by_threads(std::size_t bytes) {
  void* const p = allocate(bytes);
  const bool in_slab = test::kind_behind(p) == slice_kind::slab;
  deallocate(p);
  return in_slab;
}

TEST(Large, NoLongBlockIsCachedIfTheUserSaysWhatIsKept) {
  EXPECT_TRUE(is_cached_by_threads(slice_bytes));
  spans::set_cache_cap(16 * MiB);
  hs_purge();
  EXPECT_FALSE(is_cached_by_threads(slice_bytes));
  EXPECT_TRUE(is_cached_by_threads(slab_block_max));
  spans::set_cache_cap(spans::no_fixed_cap);
  EXPECT_TRUE(is_cached_by_threads(slice_bytes));
  hs_set_limit(GiB);
  hs_purge();
  EXPECT_FALSE(is_cached_by_threads(slice_bytes)) << "others could not have what a thread caches";
  hs_set_limit(0);
  EXPECT_TRUE(is_cached_by_threads(slice_bytes));
  spans::settings().purge_delay_ms = 0;
  spans::set_cache_cap(spans::no_fixed_cap);  // looks at the settings again
  hs_purge();
  EXPECT_FALSE(is_cached_by_threads(slice_bytes));
}

TEST(Reclaim, LooksOnceForEachGrowth) {
  const auto keep_one = [] { deallocate(allocate(1000)); };
  deallocate(allocate(16));  // makes the heap
  reclaim_before_growth(*t_heap, nullptr);
  keep_one();
  reclaim_before_growth(*t_heap, nullptr);
  EXPECT_FALSE(t_heap->kept.empty()) << "the address space has not grown";
  reclaim_before_refusal(*t_heap);
  EXPECT_TRUE(t_heap->kept.empty());
  keep_one();
  allocate(8 * MiB);
  keep_one();
  reclaim_before_growth(*t_heap, nullptr);
  EXPECT_TRUE(t_heap->kept.empty());
  keep_one();
  const spans::account limited;
  reclaim_before_growth(*t_heap, &limited);
  EXPECT_TRUE(t_heap->kept.empty()) << "growth does not help an account at its limit";
}

TEST(LargeDeathTest, AbortsIfThePointerIsNotTheStartOfABlock) {
  char* p = static_cast<char*>(allocate(2 * MiB));
  EXPECT_DEATH(deallocate(p + 16), "^heapsmith: free\\(0x[0-9a-f]+\\): ");
  EXPECT_DEATH(deallocate(p + slice_bytes), "heapsmith: free");
  EXPECT_DEATH(reallocate(p + 64, 5), "heapsmith: realloc");
  EXPECT_DEATH(usable_bytes(p + slice_bytes + 16), "heapsmith: malloc_usable_size");
  deallocate(p);
  EXPECT_DEATH(deallocate(p), "freed before");
}

// A child that a handler forks goes on like this.
TEST(EmptySlabs, DoNotEndInAHandlerThatInterruptsTheSpans) {
  std::vector<void*> blocks(20'000);  // more than a thread keeps
  for (void*& p : blocks) p = allocate(1000);
  {
    const os::lock_guard guard(spans::the_lock());
    for (void* p : blocks) deallocate(p);
  }
  const std::size_t before = spans::stats().in_use_bytes;
  EXPECT_GT(before, 10 * MiB);
  for (void*& p : blocks) p = allocate(1000);
  EXPECT_EQ(spans::stats().in_use_bytes, before) << "they serve again";
  {
    const slow_section section(t_heap);  // it interrupts the heap, too
    const os::lock_guard guard(spans::the_lock());
    for (void* p : blocks) deallocate(p);
  }
  purge_all();
  EXPECT_LT(spans::stats().in_use_bytes, 1 * MiB);
}

}  // namespace
}  // namespace heapsmith
