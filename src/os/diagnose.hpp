// The one line a misuse gets: which call, which pointer, why; written without allocating.
#pragma once

namespace heapsmith::os {

/// Writes "heapsmith: CALL(POINTER): REASON" to stderr and aborts.
[[noreturn, gnu::cold]] void abort_misuse(const char* call, const void* pointer,
                                          const char* reason);

/// Writes "heapsmith: TEXT" to stderr.
void warn(const char* text);

}  // namespace heapsmith::os
