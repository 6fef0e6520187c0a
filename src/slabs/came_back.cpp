// Counts for the thread that calls, whichever heap it works on.
#include "slabs/came_back.hpp"

namespace heapsmith {

constinit atomic<std::uint64_t> came_back_without_heap{0};

void note_came_back() {
  thread_heap& h = *t_heap;
  if (&h == &empty_heap) return note_came_back_without_heap();
  note_came_back(h);
}

}  // namespace heapsmith
