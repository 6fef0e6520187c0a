// Compares what the loader or the linker has bound with what is here.
#include "adapt/override/own_operators.hpp"

namespace heapsmith {
namespace {

template <class... Arguments>
bool leads_to(void* (*own)(Arguments...), void* (*form)(Arguments...)) {
  return form == own;
}
template <class... Arguments>
bool leads_to(void (*own)(Arguments...) noexcept, void (*form)(Arguments...) noexcept) {
  return form == own;
}

}  // namespace

bool operators_are_own() {
  return leads_to(hs_own_new, &operator new) && leads_to(hs_own_new_array, &operator new[]) &&
         leads_to(hs_own_new_aligned, &operator new) &&
         leads_to(hs_own_new_aligned_array, &operator new[]) &&
         leads_to(hs_own_delete, &operator delete) &&
         leads_to(hs_own_delete_array, &operator delete[]) &&
         leads_to(hs_own_delete_aligned, &operator delete) &&
         leads_to(hs_own_delete_aligned_array, &operator delete[]);
}

}  // namespace heapsmith
