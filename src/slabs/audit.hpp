// Walks a heap and checks what must hold between calls; debug builds do so at purges and thread
// ends.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Aborts at the first broken invariant of a heap that the caller may work on as its owner:
/// table-agrees       every 16-byte step leads to the current slab of its class
/// current-is-owned   a current slab is owned and of its class
/// bin-by-occupancy   a slab lies in the bin its blocks in use say, linked both ways
/// list-accounts      the list of a slab in a bin, or of a current one, holds just the blocks that
/// are not in use
void audit(const thread_heap& h);

}  // namespace heapsmith
