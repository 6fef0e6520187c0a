// How the header-only allocators end a process that uses them wrongly, or report want of memory.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace heapsmith::detail {

/// Writes one line that says what is wrong, and stops the process.
template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] inline void stop(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  std::fprintf(stderr, "heapsmith: %s\n", line);
  std::abort();
}

/// Throws `problem`; where exceptions are switched off, says what it is and stops the process.
template <class Problem>
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(const Problem& problem) {
#if defined(__cpp_exceptions)
  throw problem;
#else
  stop("%s", problem.what());
#endif
}

}  // namespace heapsmith::detail
