// Every operator new and delete. No C++ runtime is needed until one of them fails.
#include <errno.h>
#include <stdlib.h>

#include <new>

#include "adapt/surface.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used))

// Weak: a C program that preloads the library has neither, and never comes here.
namespace std {
[[gnu::weak]] void __throw_bad_alloc();
}
extern "C" [[gnu::weak]] void (*_ZSt15get_new_handlerv())();

namespace {

using heapsmith::is_power_of_two;
namespace surface = heapsmith::surface;

/// The standard's loop: ask the new_handler to make room until there is room or no handler.
/// Built without exceptions: whatever the handler throws passes through the callers' frames, which
/// have nothing to clean up.
[[gnu::noinline, gnu::cold]] void* allocate_or_throw(std::size_t size, std::size_t align) {
  for (;;) {
    void (*handler)() = _ZSt15get_new_handlerv != nullptr ? _ZSt15get_new_handlerv() : nullptr;
    if (handler == nullptr) {
      if (std::__throw_bad_alloc != nullptr) std::__throw_bad_alloc();
      abort();
    }
    handler();
    if (void* p = heapsmith::allocate_aligned(size, align)) return p;
  }
}

/// As above for the nothrow forms, which end with null where the others throw.
[[gnu::noinline, gnu::cold]] void* allocate_or_null(std::size_t size, std::size_t align) {
  for (;;) {
    void (*handler)() = _ZSt15get_new_handlerv != nullptr ? _ZSt15get_new_handlerv() : nullptr;
    if (handler == nullptr) return nullptr;
    handler();
    if (void* p = heapsmith::allocate_aligned(size, align)) return p;
  }
}

[[gnu::always_inline]] inline void* make(std::size_t size) {
  void* p = surface::malloc(size);
  return p != nullptr ? p : allocate_or_throw(size, 1);
}

[[gnu::always_inline]] inline void* make(std::size_t size, std::align_val_t align) {
  void* p = heapsmith::allocate_aligned(size, static_cast<std::size_t>(align));
  return p != nullptr ? p : allocate_or_throw(size, static_cast<std::size_t>(align));
}

[[gnu::always_inline]] inline void* try_make(std::size_t size, std::size_t align) {
  void* p = heapsmith::allocate_aligned(size, align);
  return p != nullptr ? p : allocate_or_null(size, align);
}

}  // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

HS_REPLACES void* operator new(size_t n) {
  return make(n);
}
HS_REPLACES void* operator new[](size_t n) {
  return make(n);
}
HS_REPLACES void* operator new(size_t n, align_val_t a) {
  return make(n, a);
}
HS_REPLACES void* operator new[](size_t n, align_val_t a) {
  return make(n, a);
}
HS_REPLACES void* operator new(size_t n, const nothrow_t&) noexcept {
  return try_make(n, 1);
}
HS_REPLACES void* operator new[](size_t n, const nothrow_t&) noexcept {
  return try_make(n, 1);
}
HS_REPLACES void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(n, static_cast<size_t>(a));
}
HS_REPLACES void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(n, static_cast<size_t>(a));
}

HS_REPLACES void operator delete(void* p) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, size_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, size_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, align_val_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, size_t, align_val_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, size_t, align_val_t) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, const nothrow_t&) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, const nothrow_t&) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, align_val_t, const nothrow_t&) noexcept {
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept {
  surface::free(p);
}
