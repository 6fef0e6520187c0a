// All operators new and delete. They need no C++ runtime until an allocation fails.
#include <new>

#include "adapt/override/new_handler.hpp"
#include "adapt/surface.hpp"
#include "heapsmith/detail/check.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used))

namespace {

namespace surface = heapsmith::surface;

[[gnu::always_inline]] inline void* make(std::size_t size) {
  void* p = surface::malloc(size);
  return p != nullptr ? p : heapsmith::new_or_throw(size, 1);
}

[[gnu::always_inline]] inline void* make(std::size_t size, std::align_val_t align) {
  void* p = heapsmith::allocate_aligned(size, static_cast<std::size_t>(align));
  return p != nullptr ? p : heapsmith::new_or_throw(size, static_cast<std::size_t>(align));
}

[[gnu::always_inline]] inline void* try_make(std::size_t size, std::size_t align) {
  void* p = heapsmith::allocate_aligned(size, align);
  return p != nullptr ? p : heapsmith::new_or_null(size, align);
}

/// Checks the size that is passed to delete: it must be the requested size, because no operator
/// resizes.
inline void require_size(const void* p, std::size_t size, std::size_t align = 1) {
  HS_REQUIRE(p == nullptr || heapsmith::fits_request(p, size, align),
             "the block was not allocated with the size that is passed to delete");
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
HS_REPLACES void operator delete(void* p, size_t n) noexcept {
  require_size(p, n);
  surface::free(p);
}
HS_REPLACES void operator delete[](void* p, size_t n) noexcept {
  require_size(p, n);
  surface::free(p);
}
HS_REPLACES void operator delete(void* p, align_val_t) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete(void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  operator delete(p);
}
HS_REPLACES void operator delete(void* p, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete(void* p, align_val_t, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept {
  operator delete(p);
}
