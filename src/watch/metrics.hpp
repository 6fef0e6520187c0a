// Figures about the heap: slow-path counts, and a walk over the slabs.
#pragma once

#include "heapsmith/heapsmith.h"

namespace heapsmith::watch {

/// Measures all of hs_statistics while other threads go on; exact when they are quiet.
hs_statistics measure();

}  // namespace heapsmith::watch
