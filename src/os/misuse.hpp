// How layers below the API end the program on misuse.
#pragma once

#include "base/hidden.hpp"

namespace heapsmith::os {

/// Writes "heapsmith: CALL(POINTER): REASON" to stderr and aborts. In a free-standing program,
/// calls its function hs_misuse instead.
[[noreturn, gnu::cold]] HS_HIDDEN void abort_misuse(const char* call, const void* pointer,
                                                    const char* reason);

}  // namespace heapsmith::os
