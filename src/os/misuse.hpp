// How layers below the API end the program on misuse.
#pragma once

namespace heapsmith::os {

/// Writes "heapsmith: CALL(POINTER): REASON" to stderr and aborts. In a free-standing program,
/// calls its function hs_misuse instead.
[[noreturn, gnu::cold, gnu::visibility("hidden")]] void
abort_misuse(const char* call, const void* pointer, const char* reason);

}  // namespace heapsmith::os
