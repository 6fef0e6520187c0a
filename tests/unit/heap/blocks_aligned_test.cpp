// Aligned blocks of every alignment, size by size.
#include "support/heap_blocks.hpp"

namespace heapsmith {
namespace {

TEST(Aligned, EveryAlignmentAndSize) {
  for (std::size_t align = 1; align <= 8 * MiB; align *= 2) {
    std::vector<std::pair<char*, std::size_t>> live;
    unsigned seed = 0;
    for (std::size_t bytes = 0; bytes <= 100 * KiB; bytes = bytes * 5 / 4 + 1) {
      char* p = static_cast<char*>(allocate_aligned(bytes, align));
      ASSERT_NE(p, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u) << bytes;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % block_align, 0u);
      ASSERT_GE(usable_bytes(p), bytes);
      test::fill(p, bytes, ++seed);
      live.emplace_back(p, bytes);
    }
    seed = 0;
    for (const auto& [p, bytes] : live) {
      ASSERT_TRUE(test::is_filled(p, bytes, ++seed)) << bytes << " at " << align;
      deallocate(p);
    }
  }
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Aligned, SmallAlignedBlocksShareSlabs) {
  std::vector<void*> b(100);
  for (void*& p : b) p = allocate_aligned(64, 64);
  EXPECT_EQ(spans::stats().in_use_bytes, slice_bytes);
  test::free_all(b);
}

TEST(Aligned, BlocksAlignedToSeveralPagesShareSlabs) {
  for (std::size_t align = 8 * KiB; align <= slab_block_max; align *= 2) {
    std::vector<void*> b(8);
    for (void*& p : b) p = allocate_aligned(100, align);
    EXPECT_EQ(spans::stats().in_use_bytes, round_up(8 * align, slice_bytes));
    test::free_all(b);
    hs_purge();
  }
}

TEST(Aligned, RefusesOverflow) {
  for (const std::size_t align :
       {std::size_t{32}, slice_bytes, std::size_t{1} << 62, std::size_t{1} << 63}) {
    for (const std::size_t bytes : {std::size_t{1} << 62, object_max, object_max + 1, SIZE_MAX}) {
      errno = 0;
      EXPECT_EQ(allocate_aligned(bytes, align), nullptr);
      EXPECT_EQ(errno, ENOMEM);
    }
  }
  EXPECT_EQ(allocate_aligned(1, std::size_t{1} << 63), nullptr);
}

}  // namespace
}  // namespace heapsmith
