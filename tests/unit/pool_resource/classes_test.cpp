// The arithmetic of pools, for every size and alignment.
#include <gtest/gtest.h>

#include <set>

#include "heapsmith/detail/pool_resource/pool_classes.hpp"

namespace heapsmith::detail {
namespace {

TEST(PoolClasses, EverySizeGetsTheSmallestClassThatServes) {
  for (std::size_t bytes = 1; bytes <= 2'100'000; ++bytes) {
    const unsigned cls = pool_classes::of(bytes);
    ASSERT_GE(pool_classes::bytes(cls), bytes);
    ASSERT_TRUE(cls == 0 || pool_classes::bytes(cls - 1) < bytes) << bytes;
  }
}

TEST(PoolClasses, LessThanAQuarterIsWastedFrom64BytesOn) {
  for (std::size_t bytes = 64; bytes <= 2'100'000; ++bytes)
    ASSERT_LT((pool_classes::bytes(pool_classes::of(bytes)) - bytes) * 4, bytes) << bytes;
}

TEST(PoolClasses, WholeAlignment) {
  for (std::size_t align = 1; align <= 65536; align *= 2)
    for (std::size_t bytes = 0; bytes <= 65536; ++bytes) {
      const std::size_t got = pool_classes::bytes(pool_classes::of(bytes, align));
      ASSERT_GE(got, bytes);
      ASSERT_EQ(got % align, 0u) << bytes << " at " << align;
    }
}

template <std::size_t Bytes>
void every_block_of_every_class_is_inside_and_aligned() {
  using layout = piece_layout<Bytes>;
  constexpr std::size_t reserved = layout::colours * layout::header_bytes;
  ASSERT_EQ(pool_classes::bytes(layout::classes - 1), layout::largest_block);
  for (unsigned cls = 0; cls < layout::classes; ++cls) {
    const std::size_t size = pool_classes::bytes(cls), align = size & (~size + 1);
    ASSERT_GE(layout::first_block(cls), reserved);
    ASSERT_EQ(layout::first_block(cls) % align, 0u);
    ASSERT_GE(layout::capacity(cls), 6u);
    ASSERT_LE(layout::first_block(cls) + layout::capacity(cls) * size, Bytes);
    ASSERT_GT(layout::first_block(cls) + (layout::capacity(cls) + 1) * size, Bytes);
  }
  std::set<std::uintptr_t> offsets;
  for (std::uintptr_t start = 64 * Bytes; start < 96 * Bytes; start += Bytes) {
    const std::uintptr_t header = layout::header(start);
    offsets.insert(header % Bytes);
    ASSERT_GE(header, start);
    ASSERT_LE(header + layout::header_bytes, start + reserved);
    for (std::uintptr_t block = start; block < start + Bytes; ++block)
      ASSERT_TRUE(layout::header(block) == header && layout::start(block) == start);
  }
  EXPECT_EQ(offsets.size(), layout::colours);
}

TEST(PieceLayout, EveryBlockOfEveryClassIsInsideAndAligned) {
  every_block_of_every_class_is_inside_and_aligned<1024>();
  every_block_of_every_class_is_inside_and_aligned<4096>();
  every_block_of_every_class_is_inside_and_aligned<32 * 1024>();
  every_block_of_every_class_is_inside_and_aligned<256 * 1024>();
}

TEST(PieceLayout, ServesWhatItsClassesHold) {
  using layout = piece_layout<4096>;
  for (std::size_t bytes = 0; bytes <= 5000; ++bytes)
    for (std::size_t align = 1; align <= 65536; align *= 2) {
      ASSERT_EQ(layout::serves(bytes, align), bytes <= 512 && align <= 512);
      ASSERT_TRUE(!layout::serves(bytes, align) ||
                  pool_classes::of(bytes, align) < layout::classes);
    }
  EXPECT_FALSE(layout::serves(~std::size_t{0}, 1));
}

}  // namespace
}  // namespace heapsmith::detail
