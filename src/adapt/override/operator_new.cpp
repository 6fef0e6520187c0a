// All operators new and delete. They need no C++ runtime until an allocation fails.
//
// The forms for arrays, with a size and with nothrow call others, which the program may replace:
// all are weak, and call each other by symbols, or by the ways of operator_ways.hpp.
#include <new>

#include "adapt/call_probe.hpp"
#include "adapt/override/jump.hpp"
#include "adapt/override/new_handler.hpp"
#include "adapt/override/operator_ways.hpp"
#include "adapt/override/own_operators.hpp"
#include "adapt/surface.hpp"
#include "heapsmith/detail/check.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used, weak))
#define HS_CALLED_FROM __builtin_return_address(0)

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

HS_OWN_OPERATORS;
HS_OWN(hs_own_delete_sized, _ZdlPvm);

namespace {

namespace surface = heapsmith::surface;
using heapsmith::ways;
namespace probe = heapsmith::probe;
using heapsmith::new_form;
using probe::api, probe::op;

[[gnu::always_inline]] inline void* make(api which, size_t size) {
  void* p = probe::made(which, surface::malloc(size), size);
  return p != nullptr ? p : heapsmith::new_or_throw(new_form::plain, size, 1, HS_CALLED_FROM);
}

[[gnu::always_inline]] inline void* make(api which, size_t size, align_val_t alignment) {
  const auto align = static_cast<size_t>(alignment);
  void* p = probe::made(which, heapsmith::allocate_aligned(size, align), size, align);
  return p != nullptr ? p : heapsmith::new_or_throw(new_form::aligned, size, align, HS_CALLED_FROM);
}

[[gnu::always_inline]] inline void end(op what, void* p) {
  probe::ending(what, p);
  surface::free(p);
}

void end_sized_slow(void* p) {
  if (ways.are_straight())
    surface::free(p);
  else
    operator delete(p);
}

[[gnu::always_inline]] inline void* try_make(api which, new_form form, size_t size,
                                             size_t align = 1) {
  void* p = ways.try_allocate(size, align);
  if (p != nullptr) return probe::made(which, p, size, align);
  return heapsmith::new_or_null(form, size, align, HS_CALLED_FROM);
}

/// Whether the recording knows the call by its form. A form that the program replaced allocates by
/// calls of its own.
bool is_recorded() {
  return probe::is_watched && ways.are_straight();
}

/// Checks the size that is passed to delete: it must be the requested size, because no operator
/// resizes.
inline void require_size(const void* p, size_t size, size_t align = 1) {
  HS_REQUIRE(p == nullptr || !ways.are_straight() || heapsmith::fits_request(p, size, align),
             "the block was not allocated with the size that is passed to delete");
}

}  // namespace

HS_REPLACES void* operator new(size_t n) {
  return make(api::new_one, n);
}
// These jump: the form that they call looks for the runtime of its caller.
HS_REPLACES HS_JUMPS void* operator new[](size_t n) {
  if constexpr (probe::is_watched)
    if (is_recorded()) return make(api::new_array, n);
  HS_JUMP operator new(n);
}
HS_REPLACES void* operator new(size_t n, align_val_t a) {
  return make(api::new_aligned, n, a);
}
HS_REPLACES HS_JUMPS void* operator new[](size_t n, align_val_t a) {
  if constexpr (probe::is_watched)
    if (is_recorded()) return make(api::new_array_aligned, n, a);
  HS_JUMP operator new(n, a);
}
HS_REPLACES void* operator new(size_t n, const nothrow_t&) noexcept {
  return try_make(api::new_nothrow, new_form::nothrow, n);
}
HS_REPLACES void* operator new[](size_t n, const nothrow_t&) noexcept {
  return try_make(api::new_array_nothrow, new_form::array_nothrow, n);
}
HS_REPLACES void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(api::new_aligned, new_form::aligned_nothrow, n, static_cast<size_t>(a));
}
HS_REPLACES void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return try_make(api::new_array_aligned, new_form::array_aligned_nothrow, n,
                  static_cast<size_t>(a));
}

#if !defined(HEAPSMITH_TRACE)  // without probes, the basic forms are free() itself: malloc.cpp
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsized-deallocation"  // GCC misses them
#endif
#else
HS_OWN_DELETE;
HS_REPLACES void operator delete(void* p) noexcept {
  end(op::delete_one, p);
}
HS_REPLACES void operator delete(void* p, align_val_t) noexcept {
  end(op::delete_one, p);
}
#endif
HS_REPLACES void operator delete[](void* p) noexcept {
  is_recorded() ? end(op::delete_array, p) : operator delete(p);
}
HS_REPLACES void operator delete(void* p, size_t n) noexcept {
  require_size(p, n);
  if (is_recorded()) return end(op::delete_sized, p);
  heapsmith::deallocate_in<end_sized_slow>(p, ways.base);
}
HS_REPLACES void operator delete[](void* p, size_t n) noexcept {
  require_size(p, n);
  is_recorded() ? end(op::delete_sized, p) : ways.end_sized_array(p, n);
}
HS_REPLACES void operator delete[](void* p, align_val_t a) noexcept {
  is_recorded() ? end(op::delete_array, p) : operator delete(p, a);
}
HS_REPLACES void operator delete(void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  is_recorded() ? end(op::delete_sized, p) : ways.end_sized_aligned(p, n, a);
}
HS_REPLACES void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  require_size(p, n, static_cast<size_t>(a));
  is_recorded() ? end(op::delete_sized, p) : ways.end_sized_aligned_array(p, n, a);
}
HS_REPLACES void operator delete(void* p, const nothrow_t&) noexcept {
  operator delete(p);
}
HS_REPLACES void operator delete[](void* p, const nothrow_t&) noexcept {
  operator delete[](p);
}
HS_REPLACES void operator delete(void* p, align_val_t a, const nothrow_t&) noexcept {
  operator delete(p, a);
}
HS_REPLACES void operator delete[](void* p, align_val_t a, const nothrow_t&) noexcept {
  operator delete[](p, a);
}
