// Blocks for callers that interrupt the heap itself: a signal handler, or libc while a heap is
// made.
#pragma once

#include <cstddef>

#include "base/hidden.hpp"

namespace heapsmith::emergency {

/// A zeroed block, without a lock and without a heap; null when the OS refuses. Such blocks are few
/// and small, and are not reused.
HS_HIDDEN void* allocate(std::size_t bytes, std::size_t align);

/// Whether allocate() returned `p`; cheap when it never returned anything.
bool owns(const void* p);

std::size_t usable_bytes(const void* p);

}  // namespace heapsmith::emergency
