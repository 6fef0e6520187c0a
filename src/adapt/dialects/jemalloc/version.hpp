// The version that programs see, in the form of jemalloc's: that of the interface, no commits
// since, and what serves it.
#pragma once

#include "watch/version.hpp"

namespace heapsmith::jemalloc {

inline constexpr char version[] = "5.3.0-0-heapsmith-" HS_TEXT(HEAPSMITH_VERSION_MAJOR) "." HS_TEXT(
    HEAPSMITH_VERSION_MINOR) "." HS_TEXT(HEAPSMITH_VERSION_PATCH);

}  // namespace heapsmith::jemalloc
