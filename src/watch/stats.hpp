// Statistics of the heap: numbers kept on slow paths, and a walk over the slabs.
#pragma once

#include "base/hidden.hpp"
#include "heapsmith/heapsmith.h"
#include "spans/spans.hpp"

namespace heapsmith::watch {

/// Measures all of hs_statistics while other threads go on; exact when they are quiet.
HS_HIDDEN hs_statistics measure();

/// The same of one first-class heap.
hs_heap_statistics measure(const spans::account& heap);

}  // namespace heapsmith::watch
