// The operators of this library, whatever their symbols lead to.
#pragma once

#include <cstddef>
#include <new>

// Gives a function a name that no program replaces. Not by an attribute: a compiler that knows both
// names would not compare them.
#define HS_OWN(name, symbol) asm(".globl " #name "\n.hidden " #name "\n.set " #name ", " #symbol)

#define HS_OWN_OPERATORS                                                                           \
  HS_OWN(hs_own_new, _Znwm);                                                                       \
  HS_OWN(hs_own_new_array, _Znam);                                                                 \
  HS_OWN(hs_own_new_aligned, _ZnwmSt11align_val_t);                                                \
  HS_OWN(hs_own_new_aligned_array, _ZnamSt11align_val_t);                                          \
  HS_OWN(hs_own_delete_array, _ZdaPv);                                                             \
  HS_OWN(hs_own_delete_aligned_array, _ZdaPvSt11align_val_t)
#define HS_OWN_DELETE                                                                              \
  HS_OWN(hs_own_delete, _ZdlPv);                                                                   \
  HS_OWN(hs_own_delete_aligned, _ZdlPvSt11align_val_t)

extern "C" {
[[gnu::visibility("hidden")]] void* hs_own_new(std::size_t);
[[gnu::visibility("hidden")]] void* hs_own_new_array(std::size_t);
[[gnu::visibility("hidden")]] void* hs_own_new_aligned(std::size_t, std::align_val_t);
[[gnu::visibility("hidden")]] void* hs_own_new_aligned_array(std::size_t, std::align_val_t);
[[gnu::visibility("hidden")]] void hs_own_delete(void*) noexcept;
[[gnu::visibility("hidden")]] void hs_own_delete_array(void*) noexcept;
[[gnu::visibility("hidden")]] void hs_own_delete_aligned(void*, std::align_val_t) noexcept;
[[gnu::visibility("hidden")]] void hs_own_delete_aligned_array(void*, std::align_val_t) noexcept;
[[gnu::visibility("hidden")]] void hs_own_delete_sized(void*, std::size_t) noexcept;
}

namespace heapsmith {

/// Whether the process's operators that others call by default are those of this library: the
/// program, or a library before this one, replaces none of them.
bool operators_are_own();

}  // namespace heapsmith
