// Segments of a file that all processes of a recording share: for those that can make no file of
// their own, as they lie in another root or have another user.
#pragma once

#include "record/format.hpp"

namespace heapsmith::recorder {

/// Effects: opens the pool in `directory`, or makes it. A descriptor of it stays open, for the
/// programs that this process becomes. Requires: the process is about to be confined.
void open_pool(const char* directory);

/// Effects: looks for a descriptor that open_pool() has left in an earlier program.
void inherit_pool();

struct segment {
  file_header* header;  // null: no segment is left
  std::uint32_t number;
  std::uint32_t blocks;  // that it has room for
  std::uint64_t maps_at;
};

/// Returns: a segment that no other process has. Its header is empty.
segment claim_segment();

}  // namespace heapsmith::recorder
