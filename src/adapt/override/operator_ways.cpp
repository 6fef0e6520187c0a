// Looks whether the program replaces an operator, once, before main().
#include "adapt/override/operator_ways.hpp"

#include "adapt/override/new_handler.hpp"
#include "adapt/override/own_operators.hpp"
#include "heap/heap.hpp"

namespace heapsmith {

using std::align_val_t;
using std::size_t;

// Calls that come before other constructors than choose() are right, too.
constinit operator_ways ways = {
    // Null: the runtime's nothrow forms are to call the program's.
    [](size_t, size_t) -> void* { return nullptr; },
    [](void* p, size_t) { operator delete[](p); },
    [](void* p, size_t, align_val_t a) { operator delete(p, a); },
    [](void* p, size_t, align_val_t a) { operator delete[](p, a); },
    UINTPTR_MAX,
};

namespace {

/// After the main range has its place.
[[gnu::constructor(102)]] void choose() {
  if (!operators_are_own()) return find_nothrow_forms();
  // A function that takes fewer arguments ignores the others.
  const auto end_here = reinterpret_cast<decltype(ways.end_sized_aligned)>(
      reinterpret_cast<void (*)()>(hs_own_delete));
  ways = {allocate_aligned, hs_own_delete_sized, end_here, end_here, spans::ranges[0].base};
}

}  // namespace
}  // namespace heapsmith
