// Which copy of the library serves and speaks, by the symbols that the loader has bound.
#include "watch/version.hpp"

#include <dlfcn.h>
#include <stdlib.h>

/// malloc of this copy if it replaces the process's; see adapt/override/malloc.cpp.
extern "C" [[gnu::weak, gnu::visibility("hidden")]] void* hs_own_malloc(size_t size);
/// Weak: static programs do without.
extern "C" [[gnu::weak]] void* dlsym(void* handle, const char* name) noexcept;

namespace heapsmith::watch {

bool serves_the_process() {
  return hs_version() == version && (hs_own_malloc == nullptr || hs_own_malloc == malloc);
}

bool speaks_for_the_process() {
  if (hs_own_malloc != nullptr || dlsym == nullptr) return true;
  const void* const other = dlsym(RTLD_DEFAULT, "hs_version");
  return other == nullptr || other == reinterpret_cast<void*>(hs_version);
}

}  // namespace heapsmith::watch
