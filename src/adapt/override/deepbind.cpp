// A file that is opened with RTLD_DEEPBIND finds libc's malloc before the preloaded one. It would
// get blocks of ours that it frees there, so it is opened without this flag.
#include <dlfcn.h>

#include "adapt/override/jump.hpp"
#include "os/settings.hpp"

namespace os = heapsmith::os;

#ifdef RTLD_DEEPBIND  // musl has none
extern "C" __attribute__((visibility("default"), used)) HS_JUMPS void*
dlopen(const char* file, int flags) noexcept(noexcept(dlopen(file, flags))) {
  const auto next = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"));
  if (os::value_of(os::setting::deepbind).number == 0) flags &= ~RTLD_DEEPBIND;
  // libc looks for the file beside its caller's.
  HS_JUMP next(file, flags);
}
#endif
