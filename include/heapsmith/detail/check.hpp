// Assertions by price: REQUIRE for mistakes of the caller, ASSERT for O(1) invariants, AUDIT for
// walks.
#pragma once

#if defined(HEAPSMITH_DEBUG) || defined(HEAPSMITH_HARDENED)
#define HS_REQUIRE(condition, reason)                                                              \
  ((condition) ? void() : ::heapsmith::detail::check_failed(#condition, reason, __FILE__, __LINE__))
#else
#define HS_REQUIRE(condition, reason) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif

#if defined(HEAPSMITH_DEBUG)
#define HS_ASSERT(condition)                                                                       \
  ((condition) ? void() : ::heapsmith::detail::check_failed(#condition, "", __FILE__, __LINE__))
#define HS_AUDIT(walk) static_cast<void>(walk)
#else
#define HS_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#define HS_AUDIT(walk) static_cast<void>(0)
#endif

#if defined(HEAPSMITH_DEBUG) || defined(HEAPSMITH_HARDENED)
#include <stdio.h>
#include <stdlib.h>

namespace heapsmith::detail {

/// Effects: prints the condition and its source line, and aborts.
[[noreturn, gnu::cold]] inline void check_failed(const char* condition, const char* reason,
                                                 const char* file, int line) {
  char text[512];
  snprintf(text, sizeof text, "heapsmith: %s:%d: failed: %s %s\n", file, line, condition, reason);
  fputs(text, stderr);
  abort();
}

}  // namespace heapsmith::detail
#endif
