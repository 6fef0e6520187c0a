// Large blocks: spans of their own, exactly as long as needed, reused and counted.
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

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

TEST(LargeDeathTest, AbortsIfThePointerIsNotTheStartOfABlock) {
  char* p = static_cast<char*>(allocate(MiB));
  EXPECT_DEATH(deallocate(p + 16), "^heapsmith: free\\(0x[0-9a-f]+\\): ");
  EXPECT_DEATH(deallocate(p + slice_bytes), "heapsmith: free");
  EXPECT_DEATH(reallocate(p + 64, 5), "heapsmith: realloc");
  EXPECT_DEATH(usable_bytes(p + slice_bytes + 16), "heapsmith: malloc_usable_size");
  deallocate(p);
  EXPECT_DEATH(deallocate(p), "freed before");
}

}  // namespace
}  // namespace heapsmith
