// A thread is inside the heap while it is in a slow path, makes its heap, or holds one of our
// locks.
#include "threads/slow_section.hpp"

#include "spans/direct_maps.hpp"
#include "threads/shared_heap.hpp"
#include "threads/sub_heaps.hpp"

namespace heapsmith {

thread_local constinit thread_phase t_phase = thread_phase::fresh;

bool interrupts_the_heap() {
  return t_heap->busy || t_phase == thread_phase::starting ||
         os::interrupts(spans::the_lock(), spans::the_direct_map_lock(), the_exchange.lock,
                        heaps_lock);
}

}  // namespace heapsmith
