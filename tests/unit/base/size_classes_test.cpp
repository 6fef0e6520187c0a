// Size classes, exhaustively: every size, every class, every offset, every alignment.
#include "base/size_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace heapsmith {
namespace {

TEST(SizeClasses, ClassesRiseAndAreMultiplesOfTheBlockAlignment) {
  for (std::size_t c = 0; c < class_count; ++c) {
    EXPECT_EQ(class_bytes(c) % block_align, 0u) << c;
    if (c != 0) {
      EXPECT_GT(class_bytes(c), class_bytes(c - 1)) << c;
    }
  }
  EXPECT_EQ(class_bytes(0), block_align);
  EXPECT_EQ(class_bytes(class_count - 1), cached_block_max);
}

TEST(SizeClasses, EverySizeFallsInTheSmallestClassThatHoldsIt) {
  std::size_t expected = 0;  // found by walking up, not by the arithmetic under test
  for (std::size_t n = 0; n <= cached_block_max; ++n) {
    while (class_bytes(expected) < n) ++expected;
    ASSERT_EQ(class_of(n), expected) << n;
  }
}

TEST(SizeClasses, WasteIsAtMostAnEighthAboveTheLinearSizes) {
  for (std::size_t n = linear_max + 1; n <= cached_block_max; ++n)
    ASSERT_LE((class_bytes(class_of(n)) - n) * 8, n) << n;
  for (std::size_t n = 1; n <= linear_max; ++n)
    ASSERT_LT(class_bytes(class_of(n)) - n, block_align);
}

TEST(SizeClasses, DirectSlotsBelongToOneClassEach) {
  for (std::size_t n = 0; n <= direct_max; ++n) {
    ASSERT_LT(direct_slot(n), direct_slots);
    ASSERT_EQ(class_of(n), class_of(direct_slot(n) * block_align)) << n;
  }
  EXPECT_EQ(direct_slot(direct_max), direct_slots - 1);
}

TEST(SizeClasses, SlabsHoldAtLeastEightBlocksAndLeaveOutOneAtMost) {
  for (std::size_t c = 0; c < class_count; ++c) {
    const class_info& info = class_table[c];
    const std::size_t span = std::size_t{info.slices} * slice_bytes;
    EXPECT_EQ(info.bytes, class_bytes(c));
    EXPECT_EQ(info.slices, slab_slices(c)) << "does not fit the table's field";
    if (info.bytes <= slice_bytes)
      EXPECT_GE(info.capacity, 8u) << c;
    else
      EXPECT_EQ(info.capacity, 1u) << c;
    EXPECT_LE(info.capacity * class_bytes(c), span) << c;
    EXPECT_GE((info.capacity + 1) * class_bytes(c), span) << c;
    // The remote word counts blocks and 16-byte offsets in 16 bits each.
    EXPECT_LE(info.capacity, 0xffffu) << c;
    EXPECT_LE(span / 16, 0x10000u) << c;
  }
}

TEST(SizeClasses, OnlyStartsOfBlocksHaveAnIndex) {
  for (std::size_t c = 0; c < class_count; ++c) {
    const class_info& info = class_table[c];
    const auto end = static_cast<std::uint32_t>(info.slices * slice_bytes);
    const auto* const start = reinterpret_cast<const char*>(slice_bytes);
    for (std::uint32_t offset = 0; offset < end; ++offset) {
      const std::uint32_t index = index_if_start(info.inverse, offset);
      if (offset % info.bytes == 0)
        ASSERT_EQ(index, offset / info.bytes) << c;
      else
        ASSERT_GE(index, info.capacity) << c << " at " << offset;
    }
    EXPECT_GE(index_if_start(info, start, start + end), info.capacity) << c;
    EXPECT_GE(index_if_start(info, start + end, start), info.capacity) << c;
  }
}

/// Of blocks allocated in order, those on the path to the last key of a tree that grew in order:
/// how many lines of a cache do they need in the same set?
std::size_t most_in_one_set(std::size_t c, std::size_t keys) {
  constexpr std::size_t line = 64, sets = 64;
  std::array<std::set<std::size_t>, sets> lines;
  for (std::size_t rest = keys; rest != 0; rest /= 2) {
    const std::size_t slab = (keys - rest) / slab_capacity(c);
    const std::size_t block = (keys - rest) % slab_capacity(c);
    const std::size_t at = slab * slab_slices(c) * slice_bytes + block * class_bytes(c);
    lines[at / line % sets].insert(at / line);
  }
  std::size_t most = 0;
  for (const auto& in_set : lines) most = std::max(most, in_set.size());
  return most;
}

TEST(SizeClasses, SmallBlocksInOrderAreSpreadOverTheCache) {
  constexpr std::size_t ways = 8;
  for (std::size_t c = 0; class_bytes(c) <= linear_max; ++c)
    for (const std::size_t keys : {1 << 15, 1 << 16, 1 << 17})
      EXPECT_LE(most_in_one_set(c, keys), ways) << class_bytes(c) << " bytes, " << keys << " keys";
}

/// Every block of a slab of class `c` is aligned, the slab being aligned to a slice.
bool blocks_are_aligned(std::size_t c, std::size_t align) {
  for (std::size_t i = 0; i < slab_capacity(c); ++i)
    if (i * class_bytes(c) % align != 0) return false;
  return true;
}

TEST(SizeClasses, AlignedClassIsTheSmallestThatIsAligned) {
  for (std::size_t align = block_align; align <= slice_bytes; align *= 2) {
    bool aligned[class_count];
    for (std::size_t c = 0; c < class_count; ++c) aligned[c] = blocks_are_aligned(c, align);
    std::size_t expected = 0;
    for (std::size_t n = 0; n <= cached_block_max; ++n) {
      while (expected < class_count && (class_bytes(expected) < n || !aligned[expected]))
        ++expected;
      ASSERT_EQ(aligned_class(n, align), expected) << n << " at " << align;
    }
  }
}

TEST(SizeClasses, NoClassServesTooLargeOrTooAlignedRequests) {
  for (std::size_t align = 1; align <= 128 * KiB; align *= 2) {
    for (std::size_t n = cached_block_max + 1; n <= 2 * MiB; n += 997)
      ASSERT_EQ(aligned_class(n, align), class_count);
    if (align <= slice_bytes) continue;
    for (std::size_t n = 0; n <= slab_block_max; ++n)
      ASSERT_EQ(aligned_class(n, align), class_count);
  }
}

}  // namespace
}  // namespace heapsmith
