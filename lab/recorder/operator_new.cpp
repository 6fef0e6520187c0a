// The operators new and delete: passed on to those of the next library that has them, else to
// malloc. An exception of theirs passes through, and leaves nothing behind.
#include <unistd.h>

#include <new>

#include "adapt/override/cxx_runtime.hpp"
#include "adapt/override/own_operators.hpp"
#include "next.hpp"
#include "record/calls.hpp"

#define HS_RECORDS __attribute__((visibility("default"), used))

HS_OWN_OPERATORS;
HS_OWN_DELETE;

using namespace heapsmith::recorder;
using heapsmith::new_form;
using std::align_val_t;
using std::nothrow_t;
using std::size_t;

namespace {

/// Effects: has the C++ runtime try again, which calls the new handler and throws. The runtime may
/// have been loaded after the operators were looked for.
[[gnu::cold]] void* make_by_runtime(new_form form, size_t bytes, size_t align,
                                    std::uintptr_t caller) {
  using any_form = void*(size_t, size_t, const void*);
  void* const f = heapsmith::operator_of_runtime(form, reinterpret_cast<const void*>(caller));
  // A function that takes fewer arguments ignores the others.
  if (f != nullptr) return reinterpret_cast<any_form*>(f)(bytes, align, nullptr);
  if (form != new_form::plain && form != new_form::aligned) return nullptr;
  constexpr char line[] = "heapsmith recorder: operator new failed, and no C++ runtime is there\n";
  static_cast<void>(!write(2, line, sizeof line - 1));
  __builtin_abort();
}

/// Whether a call of an operator is recorded as one.
[[gnu::always_inline]] inline bool is_told(stream& s) {
  return !next_new().are_replaced && is_recorded(s);
}

void* plain(size_t bytes, size_t align) {
  const next_functions* to = next();
  if (to == nullptr) return boot_allocate(bytes, align);
  return align <= 16 ? to->malloc(bytes) : to->memalign(align, bytes);
}

void plain_free(void* p) {
  if (!is_boot_block(p)) next()->free(p);
}

/// Effects: calls the next operator, or malloc without one, and records what came of it.
template <class... More>
[[gnu::always_inline]] inline void* make(op what, api which, new_form form, size_t align,
                                         std::uintptr_t caller, void* (*f)(size_t, More...),
                                         size_t bytes, More... more) {
  stream& s = here;
  const bool records = is_told(s);
  // Set by hand: an exception leaves the mark, which is_recorded() then notices.
  if (records) enter(s);
  void* p = f != nullptr ? f(bytes, more...) : plain(bytes, align);
  if (records) {
    s.inside = nullptr;
    record_made(what, which, p, bytes, align, caller);
  }
  return p != nullptr || f != nullptr ? p : make_by_runtime(form, bytes, align, caller);
}

/// The same for operators without an alignment, which libstdc++ passes on to malloc.
template <class... More>
[[gnu::always_inline]] inline void* make_plain(op what, api which, new_form form,
                                               std::uintptr_t caller, void* (*f)(size_t, More...),
                                               size_t bytes, More... more) {
  const next_functions* to = next();
  if (next_new().are_plain && to != nullptr && is_recorded(here)) [[likely]] {
    // If there is no memory, the operator finds that out again, and calls the new handler.
    if (void* p = to->malloc(bytes == 0 ? 1 : bytes)) [[likely]] {
      record_made(what, which, p, bytes, 1, caller);
      return p;
    }
  }
  return make<More...>(what, which, form, 1, caller, f, bytes, more...);
}

template <class... More>
[[gnu::always_inline]] inline void end(op what, std::uintptr_t caller, void (*f)(void*, More...),
                                       void* p, More... more) {
  stream& s = here;
  if (!is_told(s)) {
    f != nullptr ? f(p, more...) : plain_free(p);
    return;
  }
  record_ended(what, p, caller);
  if (next_new().are_plain) [[likely]]
    return plain_free(p);
  const within nested(s);
  f != nullptr ? f(p, more...) : plain_free(p);
}

}  // namespace

HS_RECORDS void* operator new(size_t n) {
  return make_plain(op::new_one, api::new_one, new_form::plain, HS_CALLER, next_new().make, n);
}
HS_RECORDS void* operator new[](size_t n) {
  return make_plain(op::new_array, api::new_array, new_form::plain, HS_CALLER,
                    next_new().make_array, n);
}
HS_RECORDS void* operator new(size_t n, const nothrow_t& t) noexcept {
  return make_plain<const nothrow_t&>(op::other_allocation, api::new_nothrow, new_form::nothrow,
                                      HS_CALLER, next_new().make_nothrow, n, t);
}
HS_RECORDS void* operator new[](size_t n, const nothrow_t& t) noexcept {
  return make_plain<const nothrow_t&>(op::other_allocation, api::new_array_nothrow,
                                      new_form::array_nothrow, HS_CALLER,
                                      next_new().make_array_nothrow, n, t);
}
HS_RECORDS void* operator new(size_t n, align_val_t a) {
  return make<align_val_t>(op::other_allocation, api::new_aligned, new_form::aligned,
                           static_cast<size_t>(a), HS_CALLER, next_new().make_aligned, n, a);
}
HS_RECORDS void* operator new[](size_t n, align_val_t a) {
  return make<align_val_t>(op::other_allocation, api::new_array_aligned, new_form::aligned,
                           static_cast<size_t>(a), HS_CALLER, next_new().make_array_aligned, n, a);
}
HS_RECORDS void* operator new(size_t n, align_val_t a, const nothrow_t& t) noexcept {
  return make<align_val_t, const nothrow_t&>(op::other_allocation, api::new_aligned,
                                             new_form::aligned_nothrow, static_cast<size_t>(a),
                                             HS_CALLER, next_new().make_aligned_nothrow, n, a, t);
}
HS_RECORDS void* operator new[](size_t n, align_val_t a, const nothrow_t& t) noexcept {
  return make<align_val_t, const nothrow_t&>(
      op::other_allocation, api::new_array_aligned, new_form::array_aligned_nothrow,
      static_cast<size_t>(a), HS_CALLER, next_new().make_array_aligned_nothrow, n, a, t);
}

HS_RECORDS void operator delete(void* p) noexcept {
  end(op::delete_one, HS_CALLER, next_new().end, p);
}
HS_RECORDS void operator delete[](void* p) noexcept {
  end(op::delete_array, HS_CALLER, next_new().end_array, p);
}
HS_RECORDS void operator delete(void* p, const nothrow_t&) noexcept {
  end(op::delete_one, HS_CALLER, next_new().end, p);
}
HS_RECORDS void operator delete[](void* p, const nothrow_t&) noexcept {
  end(op::delete_array, HS_CALLER, next_new().end_array, p);
}
HS_RECORDS void operator delete(void* p, size_t n) noexcept {
  end<size_t>(op::delete_sized, HS_CALLER, next_new().end_sized, p, n);
}
HS_RECORDS void operator delete[](void* p, size_t n) noexcept {
  end<size_t>(op::delete_sized, HS_CALLER, next_new().end_array_sized, p, n);
}
HS_RECORDS void operator delete(void* p, align_val_t a) noexcept {
  end<align_val_t>(op::delete_one, HS_CALLER, next_new().end_aligned, p, a);
}
HS_RECORDS void operator delete[](void* p, align_val_t a) noexcept {
  end<align_val_t>(op::delete_array, HS_CALLER, next_new().end_array_aligned, p, a);
}
HS_RECORDS void operator delete(void* p, align_val_t a, const nothrow_t&) noexcept {
  end<align_val_t>(op::delete_one, HS_CALLER, next_new().end_aligned, p, a);
}
HS_RECORDS void operator delete[](void* p, align_val_t a, const nothrow_t&) noexcept {
  end<align_val_t>(op::delete_array, HS_CALLER, next_new().end_array_aligned, p, a);
}
HS_RECORDS void operator delete(void* p, size_t n, align_val_t a) noexcept {
  end<size_t, align_val_t>(op::delete_sized, HS_CALLER, next_new().end_sized_aligned, p, n, a);
}
HS_RECORDS void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  end<size_t, align_val_t>(op::delete_sized, HS_CALLER, next_new().end_array_sized_aligned, p, n,
                           a);
}
