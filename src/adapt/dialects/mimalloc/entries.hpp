// Which library the names of mimalloc's functions lead to.
#pragma once

namespace heapsmith::mimalloc {

/// Aborts if the code at `caller` is of a mimalloc whose interface is another one. Its constructor
/// calls mi_process_init().
void require_our_interface(const void* caller);

}  // namespace heapsmith::mimalloc
