// Pointers no allocator of ours returned: a bug to stop at, or libc's blocks; see
// adapt/override/foreign_libc.cpp.
#include "heap/heap.hpp"
#include "os/diagnose.hpp"

namespace heapsmith {

void stop_foreign(const char* call, const void* p) {
  os::abort_misuse(call, p, "is not a block of heapsmith's");
}

constexpr foreign_handlers stop_at_foreign = {
    [](void* p) { stop_foreign("free", p); },
    [](void* p, std::size_t) -> void* { stop_foreign("realloc", p); },
    [](const void* p) -> std::size_t { stop_foreign("malloc_usable_size", p); },
};
constinit foreign_handlers foreign = stop_at_foreign;

}  // namespace heapsmith
