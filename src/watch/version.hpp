// The version, and which copy of the library serves and speaks if a process has several.
#pragma once

#include "base/hidden.hpp"
#include "heapsmith/heapsmith.h"

#define HS_TEXT_OF(x) #x
#define HS_TEXT(x) HS_TEXT_OF(x)

namespace heapsmith::watch {

/// Each copy of the library has its own: the symbol is not exported.
extern const char version[];

/// Whether this copy of the library is the one that the process uses. It is not if another copy's
/// functions replace its own: the preload library replaces those of a libheapsmith.so, and a
/// program that has heapsmith's malloc linked in replaces the preload library's.
bool serves_the_process();

/// Whether this copy is the one that speaks of settings: just one of a process does, although a
/// program linked with libheapsmith.a and started under the preload has two heaps.
HS_HIDDEN bool speaks_for_the_process();

}  // namespace heapsmith::watch
