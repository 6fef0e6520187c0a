// Copying a large block that moves: OS pages that are zero take no memory at their new place.
#pragma once

#include <cstddef>

#include "spans/spans.hpp"

namespace heapsmith {

/// Whether an OS page reads as zero. Complexity: ends soon after the first byte that does not.
bool is_zero_page(const char* page);

/// Copies `bytes` bytes, a multiple of page_bytes(). `to_is_clean`: nothing has touched the memory
/// there, so it reads as zero.
void copy_pages(char* to, const char* from, std::size_t bytes, bool to_is_clean);

/// The same to the start of a span that is at least as long. `bytes`: a multiple of slice_bytes.
void copy_into_span(const spans::span& to, const char* from, std::size_t bytes);

}  // namespace heapsmith
