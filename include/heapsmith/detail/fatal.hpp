// How the header-only allocators abort on misuse, and how they throw where exceptions may be off.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace heapsmith::detail {

/// Writes one line that says what is wrong, and aborts.
template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] inline void fatal(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  std::fprintf(stderr, "heapsmith: %s\n", line);
  std::abort();
}

/// Throws `problem`; where exceptions are switched off, says what it is and aborts.
template <class Problem>
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(const Problem& problem) {
#if defined(__cpp_exceptions)
  throw problem;
#else
  fatal("%s", problem.what());
#endif
}

}  // namespace heapsmith::detail
