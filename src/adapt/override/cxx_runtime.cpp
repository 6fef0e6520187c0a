// Finds the C++ runtime when it is needed, because a C program may load one late, with a plug-in.
#include "adapt/override/cxx_runtime.hpp"

#include <dlfcn.h>

#include "base/parse.hpp"

// Weak: static programs do without. It finds the other functions, too, of which the linker would
// warn in such programs.
extern "C" [[gnu::weak]] decltype(dlsym) dlsym;

namespace heapsmith {
namespace {

// Only a runtime defines this. Other allocators define the operators, too.
constexpr char mark[] = "_ZSt15get_new_handlerv";

constexpr char names[] = "_Znwm\0"
                         "_ZnwmSt11align_val_t\0"
                         "_ZnwmRKSt9nothrow_t\0"
                         "_ZnamRKSt9nothrow_t\0"
                         "_ZnwmSt11align_val_tRKSt9nothrow_t\0"
                         "_ZnamSt11align_val_tRKSt9nothrow_t";

template <class F>
F* find(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

/// The definition that the file of this address sees first, its own before others'.
void* find_beside(const void* address, const char* name) {
  Dl_info file;
  const auto address_of = find<decltype(dladdr)>("dladdr");
  const auto open = find<decltype(dlopen)>("dlopen");
  const auto close = find<decltype(dlclose)>("dlclose");
  if (address == nullptr || address_of == nullptr || open == nullptr || close == nullptr ||
      address_of(address, &file) == 0)
    return nullptr;
  void* const opened = open(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return nullptr;  // the program itself
  void* const found = dlsym(opened, name);
  close(opened);
  return found;
}

}  // namespace

void* operator_of_runtime(new_form form, const void* caller) {
  if (dlsym == nullptr) return nullptr;
  const char* name = names;
  for (auto n = static_cast<unsigned>(form); n != 0; ++name) n -= *name == '\0';
  void* runtime = dlsym(RTLD_DEFAULT, mark);
  if (runtime == nullptr) runtime = find_beside(caller, mark);
  return find_beside(runtime, name);
}

}  // namespace heapsmith
