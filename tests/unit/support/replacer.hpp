// A thread's work on blocks that nobody else sees.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "slabs/thread_heap.hpp"
#include "support/heap_blocks.hpp"

namespace heapsmith::test {

/// A thread that replaces random blocks of a table of its own.
class replacer {
 public:
  explicit replacer(unsigned seed, std::size_t blocks = 1000, std::size_t least = direct_max + 1,
                    std::size_t most = 8 * KiB)
      : random_(seed), blocks_(blocks), least_(least), most_(most) {}
  ~replacer() { clear(); }

  void clear() {
    free_all(blocks_);
    std::fill(blocks_.begin(), blocks_.end(), nullptr);
  }

  /// Returns how often malloc found no block cached, or free no room: only then does the thread
  /// touch what others touch.
  unsigned exchanges(unsigned steps) {
    unsigned n = 0;
    for (; steps != 0; --steps) {
      void*& p = blocks_[random_() % blocks_.size()];
      if (p != nullptr) {
        n += !t_heap->budget.has_room(static_cast<std::uint32_t>(usable_bytes(p)));
        deallocate(p);
      }
      const std::size_t bytes = least_ + random_() % (most_ - least_);
      n += !has_one_for(bytes);
      p = allocate(bytes);
    }
    return n;
  }

 private:
  static bool has_one_for(std::size_t bytes) {
    const std::size_t c = class_of(bytes);
    if (c < first_middle) return true;  // a thread has slabs of these
    const std::size_t longer = bytes <= slab_block_max ? c : c + classes_per_doubling / 2;
    for (std::size_t k = c; k <= longer && k < class_count; ++k)
      if (t_heap->cached[k - first_middle] != nullptr) return true;
    return false;
  }

  std::mt19937 random_;
  std::vector<void*> blocks_;
  std::size_t least_, most_;
};

}  // namespace heapsmith::test
