// The new_handler of a program that has its C++ runtime linked in. This is the only source built
// with exceptions, because a handler may throw. It refers to the runtime weakly, because C programs
// have none.
#include <new>

#include "adapt/override/new_handler.hpp"
#include "heap/heap.hpp"

extern "C" [[gnu::weak]] void (*_ZSt15get_new_handlerv())();
extern "C" [[gnu::weak]] void __cxa_throw(void*, void*, void (*)(void*));
asm(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n"
    ".weak __cxa_allocate_exception\n.weak _ZTISt9bad_alloc\n.weak _ZTVSt9bad_alloc\n"
    ".weak _ZNSt9bad_allocD1Ev\n");
#ifdef __clang__
asm(".weak _ZSt9terminatev\n");  // for an exception whose destructor throws
#endif

namespace heapsmith {

bool a_runtime_is_linked() {
  return __cxa_throw != nullptr;
}

void* linked_new_or_throw(std::size_t size, std::size_t align) {
  for (;;) {
    const auto make_room = _ZSt15get_new_handlerv != nullptr ? _ZSt15get_new_handlerv() : nullptr;
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
    if (void* p = allocate_aligned(size, align)) return p;
  }
}

void* linked_new_or_null(new_form form, std::size_t size, std::size_t align) noexcept {
  try {
    switch (form) {
      case new_form::nothrow:
        return ::operator new(size);
      case new_form::array_nothrow:
        return ::operator new[](size);
      case new_form::aligned_nothrow:
        return ::operator new(size, std::align_val_t{align});
      default:
        return ::operator new[](size, std::align_val_t{align});
    }
  } catch (...) {
    return nullptr;  // handlers may throw bad_alloc, but the nothrow forms return null
  }
}

}  // namespace heapsmith
