// Keeps a shared library that the core was linked into from being unloaded.
//
// libheapsmith.so is linked to stay, but a crate has no say in how a cdylib is linked. Were that
// unloaded, threads that have allocated would call what is no longer there when they end.
#include <dlfcn.h>

#ifdef __GLIBC__  // musl never unloads a library
#include <link.h>

namespace {

/// A handle that is never closed does it. The program itself, which has no name, stays anyway.
[[gnu::constructor]] void stay_loaded() {
  Dl_info place;
  link_map* object = nullptr;
  void** const out = reinterpret_cast<void**>(&object);
  if (dladdr1(reinterpret_cast<void*>(stay_loaded), &place, out, RTLD_DL_LINKMAP) == 0) return;
  if (object->l_name[0] == '\0') return;
  static_cast<void>(dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace
#endif
