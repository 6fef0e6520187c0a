// Pointers no allocator of ours returned: by default a bug to stop at; see
// adapt/override/foreign_libc.cpp.
#include "heap/heap.hpp"
#include "os/diagnose.hpp"

namespace heapsmith {

void stop_foreign(const char* call, const void* p) {
  os::stop_misuse(call, p, "is not a block of heapsmith's");
}

constinit foreign_handlers foreign = {
    [](void* p) { stop_foreign("free", p); },
    [](void* p, std::size_t) -> void* { stop_foreign("realloc", p); },
    [](const void* p) -> std::size_t { stop_foreign("malloc_usable_size", p); },
};

}  // namespace heapsmith
