// A resource that reports each call of another one to a function.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "heapsmith/decorator.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/// Prints each event as a line. Allocates nothing, unless the stream allocates its buffer.
class event_printer {
 public:
  explicit event_printer(std::FILE* to = stderr) noexcept : to_(to) {}

  void operator()(const resource_event& e) const noexcept {
    static constexpr const char* names[] = {"allocate",   "deallocate", "expand",
                                            "reallocate", "release",    "reset"};
    const char* name = names[static_cast<int>(e.call)];
    if (e.align == 0)
      std::fprintf(to_, "%s\n", name);
    else if (e.old_pointer == nullptr)
      std::fprintf(to_, "%s 0x%llx %zu align %zu\n", name, number(e.pointer), e.bytes, e.align);
    else
      std::fprintf(to_, "%s 0x%llx %zu -> 0x%llx %zu align %zu\n", name, number(e.old_pointer),
                   e.old_bytes, number(e.pointer), e.bytes, e.align);
  }

 private:
  /// Libraries differ in how they print pointers.
  static unsigned long long number(const void* p) noexcept {
    return reinterpret_cast<std::uintptr_t>(p);
  }

  std::FILE* to_;
};

/**
 * Owns a resource, and calls `sink` before each deallocation and after each other operation.
 *
 * The sink gets a resource_event (decorator.hpp): the operation, the block, and its size.
 *
 * # Requires
 * `Sink` can be called with a `const resource_event&`, does not throw, and does not use this
 * object.
 *
 * # Operations
 * Those of `R`. base() returns the resource.
 *
 * Errors: those of `R`, after the event. Thread safety: that of `R` and the sink.
 *
 * ```cpp
 * heapsmith::logging<heapsmith::default_resource> logged;    // prints to stderr
 * heapsmith::logging<heapsmith::global_heap, my_sink> noted(my_sink{file});
 * ```
 */
template <resource R, class Sink = event_printer>
  requires std::invocable<Sink&, const resource_event&>
class logging : public decorator<logging<R, Sink>, R> {
  using base_class = decorator<logging<R, Sink>, R>;
  friend base_class;

 public:
  logging() = default;

  /// Effects: constructs the resource from the arguments.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit logging(Sink sink, Arguments&&... arguments)
      : base_class(std::forward<Arguments>(arguments)...), sink_(std::move(sink)) {}

 private:
  void before_deallocate(const resource_event& e) noexcept { sink_(e); }
  void note(const resource_event& e) noexcept { sink_(e); }
  void note_refusal(const resource_event& e) noexcept { sink_(e); }

  Sink sink_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
