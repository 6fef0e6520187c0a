// The operators of the C++ runtime that the process has, or will have.
#pragma once

#include "base/hidden.hpp"

namespace heapsmith {

/// The forms of operator new that may fail, in the order of their names.
enum class new_form : unsigned char {
  plain,
  aligned,
  nothrow,
  array_nothrow,
  aligned_nothrow,
  array_aligned_nothrow,
  count,
};

/// Returns: this form of the C++ runtime that an operator's caller uses: the process's own, or that
/// of the caller's file, which may have been loaded after us and where only this file sees it. Null
/// without such a runtime, or in a static program. `caller` is an address in the caller's code.
HS_HIDDEN void* operator_of_runtime(new_form form, const void* caller);

}  // namespace heapsmith
