// A preloaded free may get blocks of libc's malloc: from plugins loaded with RTLD_DEEPBIND, from
// before the preload took over, and from functions that wrap __libc_malloc. It passes them to libc.
#include <dlfcn.h>
#include <errno.h>

#include "heap/heap.hpp"
#include "os/settings.hpp"

// Weak: static programs do without.
extern "C" [[gnu::weak]] decltype(dlsym) dlsym;

namespace heapsmith {
namespace {

/// Those of the next library that has them: this library has functions of these names, too.
constinit foreign_handlers next = {};

template <class Function>
bool find_next(Function& found, const char* name) {
  found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  return found != nullptr;
}

std::size_t libc_usable_bytes(const void* p) {
  require_foreign("malloc_usable_size", p);
  if (next.usable_bytes == nullptr && !find_next(next.usable_bytes, "malloc_usable_size")) return 0;
  return next.usable_bytes(p);
}

void libc_free(void* p) {
  const int saved = errno;
  require_foreign("free", p);
  next.free(p);
  errno = saved;
}

void* libc_realloc(void* p, std::size_t bytes) {
  require_foreign("realloc", p);
  return next.reallocate(p, bytes);
}

[[gnu::constructor]] void pass_foreign_blocks_to_libc() {
  if (os::value_of(os::setting::foreign).number != 0) return;  // abort
  if (dlsym == nullptr || !find_next(next.free, "__libc_free") ||
      !find_next(next.reallocate, "__libc_realloc"))
    return;
  foreign = {libc_free, libc_realloc, libc_usable_bytes};
}

}  // namespace
}  // namespace heapsmith
