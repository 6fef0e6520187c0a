// A preloaded free may get blocks of libc's malloc: from plugins loaded with RTLD_DEEPBIND, and
// from before the preload took over. It passes them to libc.
#include <dlfcn.h>
#include <errno.h>

#include "heap/heap.hpp"
#include "os/settings.hpp"

// Weak: a static program is to be linked without libc's allocator, and then has no blocks of it.
extern "C" [[gnu::weak]] void __libc_free(void* p);
extern "C" [[gnu::weak]] void* __libc_realloc(void* p, size_t size);
extern "C" [[gnu::weak]] decltype(dlsym) dlsym;

namespace heapsmith {
namespace {

std::size_t libc_usable_bytes(const void* p) {
  using usable_size = std::size_t (*)(void*);
  static constinit usable_size next = nullptr;
  require_foreign("malloc_usable_size", p);
  if (next == nullptr) next = reinterpret_cast<usable_size>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next == nullptr ? 0 : next(const_cast<void*>(p));
}

void libc_free(void* p) {
  const int saved = errno;
  require_foreign("free", p);
  __libc_free(p);
  errno = saved;
}

void* libc_realloc(void* p, std::size_t bytes) {
  require_foreign("realloc", p);
  return __libc_realloc(p, bytes);
}

[[gnu::constructor]] void pass_foreign_blocks_to_libc() {
  if (os::value_of(os::setting::foreign).number != 0) return;  // abort
  if (__libc_free == nullptr || __libc_realloc == nullptr || dlsym == nullptr) return;
  foreign = {libc_free, libc_realloc, libc_usable_bytes};
}

}  // namespace
}  // namespace heapsmith
