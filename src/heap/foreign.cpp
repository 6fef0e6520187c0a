// Pointers that no allocator of ours returned: a bug, or blocks of libc; see
// adapt/override/foreign_libc.cpp.
#include "heap/heap.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "slabs/find.hpp"
#include "spans/direct_maps.hpp"

namespace heapsmith {

void abort_foreign(const char* call, const void* p) {
  os::abort_misuse(call, p, "is not a block of this copy of heapsmith");
}

void require_foreign(const char* call, const void* p) {
  if (!spans::had_direct_maps()) return;
  if (spans::lies_in_direct_map(p)) os::abort_misuse(call, p, inside_large);
  // Direct maps start at OS pages. Other allocators read their headers: at an address where nothing
  // is mapped they would crash without a word.
  if (reinterpret_cast<std::uintptr_t>(p) % os::page_bytes() == 0 && !os::is_mapped(p))
    os::abort_misuse(call, p, no_block_here);
}

constinit foreign_handlers foreign = {};

}  // namespace heapsmith
