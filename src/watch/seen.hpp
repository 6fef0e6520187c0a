// The blocks in use of a slab, as a thread sees them that does not own it.
#pragma once

#include <algorithm>

#include "slabs/slab.hpp"

namespace heapsmith::watch {

/// At most the blocks cut so far, whatever the owner changes between two reads.
__attribute__((no_sanitize("thread"))) inline std::size_t blocks_seen_in_use(const slab* s) {
  const std::size_t waiting = s->remote.waiting();
  const std::uint32_t carved = s->carved.load(relaxed);
  const std::uint32_t counted = s->countdown + s->later;  // as blocks_in_use() says
  const std::size_t held =
      s->owner.load(relaxed) == nobody_owns ? carved : std::min(counted, carved);
  return held > waiting ? held - waiting : 0;
}

}  // namespace heapsmith::watch
