// How header-only allocators abort on misuse, and throw where exceptions may be switched off.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace heapsmith::detail {

/// Effects: prints one line to stderr and aborts.
template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] inline void fatal(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  std::fprintf(stderr, "heapsmith: %s\n", line);
  std::abort();
}

/// Effects: throws `problem`; prints it and aborts where exceptions are switched off.
template <class Problem>
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(const Problem& problem) {
#if defined(__cpp_exceptions)
  throw problem;
#else
  fatal("%s", problem.what());
#endif
}

}  // namespace heapsmith::detail
