// Giving memory back on request, and the knobs of mallopt.
#pragma once

#include <cstddef>

namespace heapsmith {

/// Gives back everything free in every thread's heap. Returns bytes given to the OS.
std::size_t purge_all();

/// Gives the calling thread's wholly free slabs to the spans, where they serve every thread.
/// Returns bytes given to the OS, for what exceeded the cap.
std::size_t purge_this_thread();

/// glibc's mallopt: M_TRIM_THRESHOLD caps the cache; the others have no meaning here. Returns 1.
int tune(int parameter, int value);

}  // namespace heapsmith
