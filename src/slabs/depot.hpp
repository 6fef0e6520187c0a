// Lists of middle blocks that threads returned and others take, without a lock and a look at their
// slabs. The name is Bonwick's, for magazines between the caches of CPUs. docs/design/supply.md
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "slabs/thread_cache.hpp"

namespace heapsmith {

/// A free middle block has a third word: the first one of a list in the depot says there how many
/// they are, and one in a slab, whether its OS pages were released.
struct middle_block : block {
  std::uintptr_t note;
};

/// Blocks of one class, as a list.
struct listed_blocks {
  block* first = nullptr;
  std::uint32_t count = 0;
};

class depot {
 public:
  static constexpr unsigned slots = 16;  // of a class

  /// Any thread: leaves a list of at most cache_budget::step bytes, or one block, here. False:
  /// there is no room.
  bool put(std::size_t c, listed_blocks list) {
    if (middle_bytes.in_depot.load(relaxed) >= 2 * cached_together) return false;
    static_cast<middle_block*>(list.first)->note = list.count;
    for (atomic<block*>& slot : of_[c - first_middle]) {
      block* expected = nullptr;
      // release pairs with remove(): the links, and what their last owner did to the blocks.
      if (slot.load(relaxed) == nullptr &&
          slot.compare_exchange_strong(expected, list.first, release, relaxed)) {
        middle_bytes.in_depot.fetch_add(bytes_of(c, list.count), relaxed);
        return true;
      }
    }
    return false;
  }

  /// Any thread: removes a list, or none.
  [[gnu::noinline]] listed_blocks remove(std::size_t c) {
    for (atomic<block*>& slot : of_[c - first_middle]) {
      if (slot.load(relaxed) == nullptr) continue;  // a list put there now is for the next time
      // acquire pairs with put().
      block* const first = slot.exchange(nullptr, acquire);
      if (first == nullptr) continue;
      const auto count = static_cast<std::uint32_t>(static_cast<middle_block*>(first)->note);
      middle_bytes.in_depot.fetch_sub(bytes_of(c, count), relaxed);
      return {first, count};
    }
    return {};
  }

 private:
  atomic<block*> of_[middle_count][slots] = {};
};

/// The process's; null before it is needed, or when out of memory. acquire when read.
extern atomic<depot*> the_depot;

}  // namespace heapsmith
