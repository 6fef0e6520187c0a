// Failed allocations are the C++ runtime's: it knows the new_handler, and how to throw. A handler's
// exception passes through these functions, and leaves nothing behind.
#include "adapt/override/new_handler.hpp"

#include "os/diagnose.hpp"
#include "os/report.hpp"

namespace heapsmith {
namespace {

/// Any form: by the conventions of our processors, a function ignores further arguments, and
/// nothrow_t has nothing that could be read.
using any_form = void*(std::size_t size, std::size_t align, const void* nothrow);

bool is_linked() {
  return a_runtime_is_linked != nullptr && a_runtime_is_linked();
}

// Written before main(), by a constructor.
constinit void* nothrow_forms[static_cast<unsigned>(new_form::count)] = {};

}  // namespace

void* new_or_throw(new_form form, std::size_t size, std::size_t align, const void* caller) {
  if (is_linked()) return linked_new_or_throw(size, align);
  if (auto* const f = reinterpret_cast<any_form*>(operator_of_runtime(form, caller)))
    return f(size, align, nullptr);
  os::line()
      .add("heapsmith: operator new failed for ")
      .add_number(size)
      .add(" bytes, and there is no C++ runtime")
      .write();
  os::abort();
}

void* new_or_null(new_form form, std::size_t size, std::size_t align, const void* caller) {
  if (is_linked()) return linked_new_or_null(form, size, align);
  void* f = nothrow_forms[static_cast<unsigned>(form)];
  if (f == nullptr) f = operator_of_runtime(form, caller);
  return f != nullptr ? reinterpret_cast<any_form*>(f)(size, align, nullptr) : nullptr;
}

void find_nothrow_forms() {
  if (is_linked()) return;
  for (auto i = static_cast<unsigned>(new_form::nothrow); i < std::size(nothrow_forms); ++i)
    nothrow_forms[i] = operator_of_runtime(static_cast<new_form>(i), nullptr);
}

}  // namespace heapsmith
