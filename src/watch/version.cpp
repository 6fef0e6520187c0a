// Which copy of the library speaks, by the symbols that the loader has bound.
#include "watch/version.hpp"

#include <dlfcn.h>

/// Weak: static programs do without.
extern "C" [[gnu::weak]] decltype(dlsym) dlsym;

namespace heapsmith::watch {

bool speaks_for_the_process() {
  if (hs_own_malloc != nullptr || dlsym == nullptr) return true;
  const void* const other = dlsym(RTLD_DEFAULT, "hs_version");
  return other == nullptr || other == reinterpret_cast<void*>(hs_version);
}

}  // namespace heapsmith::watch
