// A slab's list of free blocks, checked where a slow path comes across it.
//
// malloc and free follow and write the links unchecked. So a block that its owner frees twice, with
// other frees in between, closes the list to a ring; a freed pointer into the middle of a block
// puts a false block on it; and a write to a freed block sends it anywhere. A look at the list
// finds all three, and aborts. docs/design/misuse.md says what is looked at, and
// its cost.
#pragma once

#include "slabs/slab.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// So much of a list is looked at on the way: a few instructions for each block of a slab.
inline constexpr std::uint32_t glance = 8;

/// Looks at the first `most` blocks of a list of `n` blocks. Each must be a carved block of the
/// slab, `n` must be right if it is at most `most`, and a ring of up to `most` / 2 blocks that
/// begins among the first `most` / 2 is noticed.
void look_at(const slab* s, const block_list& list, std::uint32_t most = glance);

/// Looks at the own list of a slab, whose length the count of blocks in use says.
void look_at_free_blocks(const slab* s, std::uint32_t most = glance);

/// The same when the process ends, with a longer look. The call that ended it may have interrupted
/// malloc or free in this thread, so a count may be wrong by one.
void look_at_the_end(const slab* s);

/// Puts a list behind the last block of another one. Aborts if that does not end there.
void link_behind(const slab* s, block* last, block* rest);

}  // namespace heapsmith
