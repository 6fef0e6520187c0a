// Zeroing large blocks: by what became of earlier ones, with memory at once or left to fault.
#pragma once

#include "spans/spans.hpp"

namespace heapsmith {

/// Makes the first `bytes` of a new block's span read as zero, which end in its last slice. The
/// rest of that slice is not touched: it may have no memory. Blocks of 1 MiB and more are watched,
/// if note_end() will be called for this one.
/// Complexity: for watched blocks, also up to fifteen system calls for each of four OS pages of
/// four others.
void zero_large(const spans::span& sp, std::size_t bytes, bool will_end);

/// Looks at what became of a large block, if it is watched: call before it ends.
/// Complexity: four OS pages are read.
void note_end(const spans::record* first);

}  // namespace heapsmith
