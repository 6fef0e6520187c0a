// A slab's list of free blocks, checked wherever it is walked.
//
// malloc and free follow and write the links unchecked. So a block that its owner frees twice, with
// other frees in between, closes the list to a ring; a freed pointer into the middle of a block puts
// a false block on it; and a write to a freed block sends it anywhere. A walk finds all three, and
// aborts. docs/decisions/0037-misuse-told-later.md says where walks happen, and what they cost.
#pragma once

#include "slabs/slab.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// How many blocks the slab's own list holds. At most as many steps as blocks are carved.
std::uint32_t list_length(const slab* s);

/// Aborts unless the slab's own list has just `n` blocks. `n` steps.
void require_free_blocks(const slab* s, std::uint32_t n);

/// The same for a list of `n` blocks, looking at no more than the first `most`.
void require_first_free_blocks(const slab* s, std::uint32_t n, std::uint32_t most);

/// The last of the blocks that other threads gave back. Aborts unless there are as many as these
/// threads counted. `list.count` steps; `list` is not empty.
block* last_returned(const slab* s, const block_list& list);

/// Looks at the beginning of a list whose length nobody knows: no more than `most` blocks.
void look_at_free_blocks(const slab* s, std::uint32_t most);

}  // namespace heapsmith
