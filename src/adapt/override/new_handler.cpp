// The loop around the new_handler that the standard requires. This is the only source built with
// exceptions, because a handler may throw. It refers to the C++ runtime weakly, because C programs
// have none.
#include "adapt/override/new_handler.hpp"

#include <stdlib.h>

#include "heap/heap.hpp"

namespace std {
[[gnu::weak]] void __throw_bad_alloc();
}
extern "C" [[gnu::weak]] void (*_ZSt15get_new_handlerv())();
asm(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n");
#ifdef __clang__
asm(".weak _ZSt9terminatev\n");  // for an exception whose destructor throws
#endif

namespace heapsmith {
namespace {

using handler = void (*)();

handler installed() {
  return _ZSt15get_new_handlerv != nullptr ? _ZSt15get_new_handlerv() : nullptr;
}

}  // namespace

void* new_or_throw(std::size_t size, std::size_t align) {
  for (;;) {
    const handler make_room = installed();
    if (make_room == nullptr) {
      if (std::__throw_bad_alloc != nullptr) std::__throw_bad_alloc();
      abort();
    }
    make_room();
    if (void* p = allocate_aligned(size, align)) return p;
  }
}

void* new_or_null(std::size_t size, std::size_t align) noexcept {
  try {
    while (const handler make_room = installed()) {
      make_room();
      if (void* p = allocate_aligned(size, align)) return p;
    }
    return nullptr;
  } catch (...) {
    return nullptr;  // handlers may throw bad_alloc, but the nothrow forms return null
  }
}

}  // namespace heapsmith
