// The version, and which copy of the library speaks if a process has several.
#pragma once

#include <stddef.h>

#include "base/hidden.hpp"
#include "heapsmith/heapsmith.h"

/// malloc of this copy if it can replace the process's; see adapt/override/malloc.cpp.
extern "C" [[gnu::weak, gnu::visibility("hidden")]] void* hs_own_malloc(size_t size);

#define HS_TEXT_OF(x) #x
#define HS_TEXT(x) HS_TEXT_OF(x)

namespace heapsmith::watch {

/// Each copy of the library has its own: the symbol is not exported.
extern const char version[];

/// Whether this copy is the one that speaks of settings: just one of a process does, although a
/// program linked with libheapsmith.a and started under the preload has two heaps.
HS_HIDDEN bool speaks_for_the_process();

}  // namespace heapsmith::watch
