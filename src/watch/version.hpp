// The version, and by it whether this copy of the library is the one that the process uses.
#pragma once

#include "heapsmith/heapsmith.h"

#define HS_TEXT_OF(x) #x
#define HS_TEXT(x) HS_TEXT_OF(x)

namespace heapsmith::watch {

/// Each copy of the library has its own: the symbol is not exported.
extern const char version[];

/// False in a libheapsmith.so whose functions the preload library replaces, as it does malloc's:
/// its heap is never used, and has nothing to report.
inline bool serves_the_process() {
  return hs_version() == version;
}

}  // namespace heapsmith::watch
