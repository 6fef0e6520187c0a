// What is decided about every region, and what the programs behind the decisions vary.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::regions {

template <class Frame>
class digital_trees;

/// Freed blocks up to this size are deferred: quick lists keep them for requests of their size.
inline constexpr std::size_t quick_max = 1024;

/**
 * The choices of docs/decisions/0014-large-free-blocks.md, 0015-deferred-coalescing.md and
 * 0023-blocks-in-order.md.
 *
 * As long as memory is plentiful, which the largest free block tells, half as much as that may be
 * deferred. Where it is scarce, so little that joining all of it takes microseconds.
 */
template <class Frame>
struct design {
  using large = digital_trees<Frame>;  ///< the index of free blocks from 16 KiB on
  static constexpr std::size_t deferred_min = 4 << 10;
  static constexpr std::size_t deferred_max = 2 << 20;
  static constexpr std::size_t row_blocks = 7;  ///< blocks carved at once, when one size is wanted
};

}  // namespace heapsmith::regions
