// The negative control of the suite `pools`: elements in blocks that overlap.
#pragma once

#include <cstddef>

#include "contenders/overlapping.hpp"
#include "pools/slots.hpp"

namespace bench {

/// Blocks of one size.
class overlapping_slots {
 public:
  explicit overlapping_slots(std::size_t bytes) : bytes_(bytes) {}
  void* allocate() { return blocks_.allocate(bytes_); }
  void deallocate(void* block) { blocks_.deallocate(block, bytes_); }

 private:
  std::size_t bytes_;
  overlapping_blocks blocks_;
};

template <class E>
class slots<overlapping, E> : public slots_of_blocks<overlapping_slots, E> {
  using slots_of_blocks<overlapping_slots, E>::slots_of_blocks;
};

}  // namespace bench
