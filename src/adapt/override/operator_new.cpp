// All operators new and delete. They need no C++ runtime until an allocation fails.
#include <new>

#include "adapt/call_probe.hpp"
#include "adapt/override/new_handler.hpp"
#include "adapt/surface.hpp"
#include "heapsmith/detail/check.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used))

namespace {

namespace surface = heapsmith::surface;
namespace probe = heapsmith::probe;
using probe::api, probe::op;

[[gnu::always_inline]] inline void* make(api which, std::size_t size) {
  void* p = probe::made(which, surface::malloc(size), size);
  return p != nullptr ? p : probe::made(which, heapsmith::new_or_throw(size, 1), size);
}

[[gnu::always_inline]] inline void* make(api which, std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  void* p = probe::made(which, heapsmith::allocate_aligned(size, align), size, align);
  return p != nullptr ? p : probe::made(which, heapsmith::new_or_throw(size, align), size, align);
}

[[gnu::always_inline]] inline void* try_make(api which, std::size_t size, std::size_t align) {
  void* p = probe::made(which, heapsmith::allocate_aligned(size, align), size, align);
  if (p != nullptr) return p;
  p = heapsmith::new_or_null(size, align);
  if (p != nullptr) probe::made(which, p, size, align);
  return p;
}

[[gnu::always_inline]] inline void end(op what, void* p) {
  probe::ending(what, p);
  surface::free(p);
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
  return make(api::new_one, n);
}
HS_REPLACES void* operator new[](size_t n) {
  return make(api::new_array, n);
}
HS_REPLACES void* operator new(size_t n, align_val_t a) {
  return make(api::new_aligned, n, a);
}
HS_REPLACES void* operator new[](size_t n, align_val_t a) {
  return make(api::new_array_aligned, n, a);
}
HS_REPLACES void* operator new(size_t n, const nothrow_t&) noexcept {
  return try_make(api::new_nothrow, n, 1);
}
HS_REPLACES void* operator new[](size_t n, const nothrow_t&) noexcept {
  return try_make(api::new_array_nothrow, n, 1);
}
HS_REPLACES void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(api::new_aligned, n, static_cast<size_t>(a));
}
HS_REPLACES void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(api::new_array_aligned, n, static_cast<size_t>(a));
}

HS_REPLACES void operator delete(void* p) noexcept {
  end(op::delete_one, p);
}
HS_REPLACES void operator delete[](void* p) noexcept {
  end(op::delete_array, p);
}
HS_REPLACES void operator delete(void* p, size_t n) noexcept {
  require_size(p, n);
  end(op::delete_sized, p);
}
HS_REPLACES void operator delete[](void* p, size_t n) noexcept {
  require_size(p, n);
  end(op::delete_sized, p);
}
HS_REPLACES void operator delete(void* p, align_val_t) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t) noexcept {
  operator delete[](p);
}
HS_REPLACES void operator delete(void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  if constexpr (probe::is_watched)
    end(op::delete_sized, p);
  else
    operator delete(p);  // a jump
}
HS_REPLACES void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  if constexpr (probe::is_watched)
    end(op::delete_sized, p);
  else
    operator delete(p);  // a jump
}
HS_REPLACES void operator delete(void* p, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, const nothrow_t&) noexcept {
  operator delete[](p);
}
HS_REPLACES void operator delete(void* p, align_val_t, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept {
  operator delete[](p);
}
