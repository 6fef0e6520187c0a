// Copying a large block that moves: OS pages that are zero take no memory at their new place.
#pragma once

#include <cstddef>

#include "spans/spans.hpp"

namespace heapsmith {

/// Whether an OS page reads as zero. Complexity: ends soon after the first byte that does not.
bool is_zero_page(const char* page);

/// Copies `bytes` from `from` to the start of a span that is at least as long.
/// Requires: `bytes` is a multiple of slice_bytes.
void copy_into_span(const spans::span& to, const char* from, std::size_t bytes);

/// The same, to memory that the OS has just mapped. `bytes`: a multiple of page_bytes().
void copy_into_new_map(char* to, const char* from, std::size_t bytes);

}  // namespace heapsmith
