// Pointers that no allocator of ours returned: a bug, or blocks of libc; see
// adapt/override/foreign_libc.cpp.
#include "heap/heap.hpp"
#include "os/diagnose.hpp"

namespace heapsmith {

void abort_foreign(const char* call, const void* p) {
  os::abort_misuse(call, p, "is not a block of heapsmith's");
}

constexpr foreign_handlers abort_at_foreign = {
    [](void* p) { abort_foreign("free", p); },
    [](void* p, std::size_t) -> void* { abort_foreign("realloc", p); },
    [](const void* p) -> std::size_t { abort_foreign("malloc_usable_size", p); },
};
constinit foreign_handlers foreign = abort_at_foreign;

}  // namespace heapsmith
