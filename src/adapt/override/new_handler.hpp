// The behaviour of operator new when it is out of memory.
#pragma once

#include <cstddef>

#include "adapt/override/cxx_runtime.hpp"
#include "base/units.hpp"

namespace heapsmith {

/// Has the C++ runtime's own form allocate: it calls malloc again, then the new_handler until
/// malloc succeeds, and throws std::bad_alloc without one. Errors: aborts if there is no runtime.
[[gnu::cold]] void* new_or_throw(new_form form, std::size_t size, std::size_t align,
                                 const void* caller);

/// As new_or_throw, for the nothrow forms. The runtime's call the form that the program may have
/// replaced. Errors: returns null.
[[gnu::cold]] void* new_or_null(new_form form, std::size_t size, std::size_t align,
                                const void* caller);

/// The same for functions of other names that behave like operator new.
[[gnu::always_inline]] inline void* new_or_throw(std::size_t size, std::size_t align) {
  const new_form form = align <= block_align ? new_form::plain : new_form::aligned;
  return new_or_throw(form, size, align, __builtin_return_address(0));
}
[[gnu::always_inline]] inline void* new_or_null(std::size_t size, std::size_t align) {
  const new_form form = align <= block_align ? new_form::nothrow : new_form::aligned_nothrow;
  return new_or_null(form, size, align, __builtin_return_address(0));
}

/// Tells new_or_null() that it will be called for each allocation: the program has replaced a form.
[[gnu::cold]] void find_nothrow_forms();

// For a program with the runtime linked in, which cannot be looked up. Only the library that is
// linked in has these; elsewhere, they are null. linked_new_handler.cpp.
[[gnu::weak, gnu::visibility("hidden")]] bool a_runtime_is_linked();
[[gnu::weak, gnu::visibility("hidden")]] void* linked_new_or_throw(std::size_t size,
                                                                   std::size_t align);
[[gnu::weak, gnu::visibility("hidden")]] void* linked_new_or_null(new_form form, std::size_t size,
                                                                  std::size_t align) noexcept;

}  // namespace heapsmith
