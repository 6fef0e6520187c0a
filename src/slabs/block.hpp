// A free block, and lists of such blocks.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith {

/// A free block: its first word links to the next one. The second marks blocks that another thread
/// freed and the slab's owner has not collected yet; see freed_mark().
struct block {
  plain<block*> next;
  plain<std::uintptr_t> mark;
};

/// Generations are the multiples of this odd number: all differ, and in many bits.
inline constexpr std::uint64_t generation_step = 0x9e3779b97f4a7c15u;

/// The mark of a block that waits in a slab of this generation. A slab's generation changes
/// whenever its waiting blocks are collected, and no two slabs ever share one: when a block is
/// handed out again, its mark is out of date. So a block that bears its slab's present mark was
/// freed before.
inline std::uintptr_t freed_mark(const block* b, std::uint64_t generation) {
  return reinterpret_cast<std::uintptr_t>(b) ^ generation;
}

/// A list of blocks of one slab, ready to be pushed with one compare-and-swap.
struct block_batch {
  block* first = nullptr;
  block* last = nullptr;
  std::uint32_t count = 0;
};

/// The blocks a collector gets: a list and its length; `first` is null when `count` is 0.
struct block_list {
  block* first = nullptr;
  std::uint32_t count = 0;
};

}  // namespace heapsmith
