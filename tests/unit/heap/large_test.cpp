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
  EXPECT_EQ(test::kind_behind(allocate(slab_block_max)), slice_kind::slab);
  EXPECT_EQ(test::kind_behind(allocate(slab_block_max + 1)), slice_kind::large);
  EXPECT_EQ(test::kind_behind(allocate(direct_map_min - 1)), slice_kind::large);
  EXPECT_EQ(spans::find_anywhere(allocate(direct_map_min)), nullptr);
}

TEST(Large, TakesNoMoreSlicesThanItNeeds) {
  std::size_t expected = 0;
  for (std::size_t bytes = slab_block_max + 1; bytes < 2 * MiB; bytes += 32'749) {
    void* p = allocate(bytes);
    expected += slices_for(bytes) * slice_bytes;
    EXPECT_EQ(usable_bytes(p), slices_for(bytes) * slice_bytes);
    EXPECT_EQ(spans::stats().in_use_bytes, expected);
  }
}

TEST(Large, ReusesAFreedHole) {
  void* a = allocate(5 * slice_bytes);
  void* guard = allocate(slice_bytes);
  memset(a, 1, 5 * slice_bytes);
  deallocate(a);
  EXPECT_EQ(allocate(2 * slice_bytes), a);
  EXPECT_EQ(allocate(3 * slice_bytes), static_cast<char*>(a) + 2 * slice_bytes);
  deallocate(guard);
}

TEST(Large, FindsMemoryInEmptySlabsBeforeGrowing) {
  // Fill the committed slices with slabs, free all blocks: some slabs stay kept, yet a large block
  // that needs their slices gets them before the frontier moves.
  const std::size_t n = slab_capacity(class_of(4096));
  const std::size_t slices_a_slab = slab_slices(class_of(4096));
  std::vector<void*> b = test::allocate_many(n * 8, 4096);
  while (spans::take(1, 1, spans::growth::forbidden)) {
  }
  test::free_all(b);
  const std::size_t committed = spans::stats().committed_bytes;
  EXPECT_NE(allocate(7 * slices_a_slab * slice_bytes), nullptr);
  EXPECT_EQ(spans::stats().committed_bytes, committed);
}

TEST(Large, AFreedBlockIsKeptForTheNextOfItsLength) {
  deallocate(allocate(16));  // the thread has a heap
  void* p = allocate(slice_bytes);
  memset(p, 1, slice_bytes);
  const std::size_t takes = spans::stats().takes;
  deallocate(p);
  EXPECT_EQ(test::statistics().cached_bytes, slice_bytes);
  EXPECT_EQ(test::statistics().large_bytes, 0u);
  EXPECT_EQ(allocate(slice_bytes - 1), p);
  EXPECT_EQ(usable_bytes(p), slice_bytes);
  deallocate(p);
  auto* zeroed = static_cast<char*>(allocate_zeroed(slice_bytes - 100));
  EXPECT_EQ(zeroed, p);
  EXPECT_TRUE(std::all_of(zeroed, zeroed + slice_bytes - 100, [](char x) { return x == 0; }));
  deallocate(p);
  EXPECT_EQ(spans::stats().takes, takes);
  EXPECT_GT(hs_purge(), 0u);
  EXPECT_EQ(test::resident_bytes(p, slice_bytes), 0u);
}

TEST(Large, ASpanServesSlabsAndLargeBlocksInTurn) {
  const std::size_t c = class_of(1000);
  void* small = allocate(class_bytes(c));
  deallocate(small);  // its slab is set aside
  const std::size_t takes = spans::stats().takes;
  void* large = allocate(slice_bytes);
  EXPECT_EQ(large, small);
  EXPECT_EQ(test::kind_behind(large), slice_kind::large);
  memset(large, 1, slice_bytes);
  deallocate(large);
  EXPECT_EQ(allocate(class_bytes(c)), small);
  EXPECT_EQ(test::slab_behind(small)->size_class, c);
  EXPECT_EQ(spans::stats().takes, takes);
}

TEST(Large, AThreadKeepsNoMoreThanItMay) {
  deallocate(allocate(16));
  std::vector<void*> b = test::allocate_many(40, slice_bytes);
  test::free_all(b);
  EXPECT_EQ(spans::stats().cached_bytes + spans::stats().in_use_bytes, 40 * slice_bytes);
  EXPECT_LE(spans::stats().in_use_bytes, kept_slices * slice_bytes);
  hs_purge();
  spans::set_cache_cap(64 * MiB);
  void* p = allocate(slice_bytes);
  deallocate(p);
  EXPECT_EQ(spans::stats().in_use_bytes, 0u) << "the user says what is kept, and the cache has it";
}

/// Whether the thread keeps a large block that it frees.
bool keeps_a_block() {
  void* const held = allocate(16);  // its slab stays
  deallocate(allocate(slice_bytes));
  const bool kept = !t_heap->kept.empty();
  drop_kept(*t_heap);
  deallocate(held);
  return kept;
}

TEST(Large, NoBlockIsKeptIfTheUserSaysWhatIsKept) {
  EXPECT_TRUE(keeps_a_block());
  spans::set_cache_cap(16 * MiB);
  EXPECT_FALSE(keeps_a_block());
  spans::set_cache_cap(spans::adaptive_cap);
  EXPECT_TRUE(keeps_a_block());
  spans::settings().purge_delay_ms = 0;
  spans::set_cache_cap(spans::adaptive_cap);  // looks at the settings again
  EXPECT_FALSE(keeps_a_block());
}

TEST(Reclaim, LooksOnceForEachGrowth) {
  const auto keep_one = [] { deallocate(allocate(slice_bytes)); };
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

TEST(LargeDeathTest, AKeptBlockIsNoBlock) {
  deallocate(allocate(16));
  char* p = static_cast<char*>(allocate(slice_bytes));
  deallocate(p);
  EXPECT_DEATH(deallocate(p), "freed before");
  EXPECT_DEATH(reallocate(p, 5), "freed before");
  EXPECT_DEATH(usable_bytes(p), "freed before");
}

TEST(LargeDeathTest, AbortsIfThePointerIsNotTheStartOfABlock) {
  char* p = static_cast<char*>(allocate(MiB));
  EXPECT_DEATH(deallocate(p + 16), "^heapsmith: free\\(0x[0-9a-f]+\\): ");
  EXPECT_DEATH(deallocate(p + slice_bytes), "heapsmith: free");
  EXPECT_DEATH(reallocate(p + 64, 5), "heapsmith: realloc");
  EXPECT_DEATH(usable_bytes(p + slice_bytes + 16), "heapsmith: malloc_usable_size");
  deallocate(p);
  EXPECT_DEATH(deallocate(p), "freed before");
}

TEST(KeptBlock, IsNotGivenBackByAHandlerThatInterruptsTheSpans) {
  void* const first = allocate(slice_bytes);
  void* const second = allocate(slice_bytes);
  deallocate(first);
  t_heap->ticks_until_look = 0;  // the next free looks at the clock
  const os::lock_guard guard(spans::the_lock());
  deallocate(second);
  EXPECT_EQ(test::kind_behind(first), slice_kind::kept);
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
