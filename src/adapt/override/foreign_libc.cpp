// A preloaded free may get blocks of libc's malloc: from plugins loaded with RTLD_DEEPBIND, and
// from before the preload took over. It passes them to libc.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "heap/heap.hpp"
#include "os/os.hpp"

extern "C" void __libc_free(void* p);
extern "C" void* __libc_realloc(void* p, size_t size);

namespace heapsmith {
namespace {

std::size_t libc_usable_bytes(const void* p) {
  using usable_size = std::size_t (*)(void*);
  static constinit usable_size next = nullptr;
  if (next == nullptr) next = reinterpret_cast<usable_size>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next == nullptr ? 0 : next(const_cast<void*>(p));
}

void libc_free(void* p) {
  const int saved = errno;
  __libc_free(p);
  errno = saved;
}

[[gnu::constructor]] void pass_foreign_blocks_to_libc() {
  const char* wish = os::is_privileged() ? nullptr : os::environment("HEAPSMITH_FOREIGN");
  if (wish != nullptr && strcmp(wish, "abort") == 0) return;
  foreign = {libc_free, __libc_realloc, libc_usable_bytes};
}

}  // namespace
}  // namespace heapsmith
