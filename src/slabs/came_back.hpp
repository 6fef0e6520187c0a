// Counts that memory came back: a search that found nothing need not be repeated before it did.
#pragma once

#include <cstdint>

#include "slabs/thread_heap.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Call when a search of all heaps can find more than before: a batch of blocks was sent home, a
/// span was kept, or what another search could not see was put back. The purger may, whose thread
/// storage is zero.
void note_came_back();

/// The same for any thread.
extern atomic<std::uint64_t> came_back_without_heap;
inline void note_came_back_without_heap() {
  came_back_without_heap.fetch_add(1, release);  // as in note_came_back()
}

}  // namespace heapsmith
