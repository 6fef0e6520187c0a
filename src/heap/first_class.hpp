// First-class heaps from their making to their end.
#pragma once

#include "threads/sub_heaps.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// A heap without blocks; null when out of memory.
first_class_heap* make_first_class_heap();

/// Ends all blocks of the heap. Requires: no thread uses it. Aborts if the heap has ended.
void end_all_blocks(first_class_heap& f);

/// Ends the heap with all its blocks; as above.
void end_first_class_heap(first_class_heap& f);

/// The handle ends, and the blocks go on living. The heap serves again when the last of them is
/// freed, and the other threads that freed some have ended. Aborts if the heap has ended.
void leave_first_class_heap(first_class_heap& f);

/// Aborts if the heap has ended.
void require_heap(const char* call, const first_class_heap& f);

}  // namespace heapsmith
