// Zeroing large blocks, as the program has used the last ones: filled, or left sparse.
#pragma once

#include "spans/spans.hpp"

namespace heapsmith {

/// Makes the first `bytes` of a span read as zero, which end in its last slice. The rest of that
/// slice is not touched: it may have no memory. The span's record says what note_filling() is to
/// look at.
/// Complexity: for spans of 1 MiB and more, also up to fifteen system calls for each of four OS
/// pages of another.
void zero_large(const spans::span& sp, std::size_t bytes);

/// Whether the block of this record is watched, and what became of it: call before it ends.
/// Complexity: four OS pages are read, for watched blocks.
bool is_watched(const spans::record* first);
void note_filling(spans::record* first);

}  // namespace heapsmith
