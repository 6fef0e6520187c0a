// A resource that tells a function of each call of another one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "heapsmith/resource.hpp"

namespace heapsmith {

enum class resource_call { allocate, deallocate, expand, reallocate, release, reset };

/// One call of a resource, after it returned.
struct resource_event {
  resource_call call;
  void* pointer = nullptr;      ///< the block, where it is now; null: the request was refused
  std::size_t bytes = 0;        ///< its size; of a refused request, what was asked
  std::size_t align = 0;        ///< 0 for release and reset
  void* old_pointer = nullptr;  ///< where it was, of expand and reallocate …
  std::size_t old_bytes = 0;    ///< … and how long
};

/// Prints events as lines. Allocates nothing, unless the stream has no buffer yet.
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
      std::fprintf(to_, "%s %p %zu align %zu\n", name, e.pointer, e.bytes, e.align);
    else
      std::fprintf(to_, "%s %p %zu -> %p %zu align %zu\n", name, e.old_pointer, e.old_bytes,
                   e.pointer, e.bytes, e.align);
  }

 private:
  std::FILE* to_;
};

/**
 * Tells `sink` of every call of the resource that it owns.
 *
 * # Requires
 * `Sink` is called with a `const resource_event&`, does not throw, and does not use this object.
 *
 * # Operations
 * Those of `R`: try_expand, reallocate, allocate_at_least, owns, release and reset among them; base
 * reaches the resource.
 *
 * Errors: those of `R`, after the event. Thread safety: that of `R` and the sink.
 *
 * ```cpp
 * heapsmith::logging<heapsmith::default_resource> logged;    // prints to stderr
 * heapsmith::logging<heapsmith::global_heap, my_sink> told(my_sink{file});
 * ```
 */
template <resource R, class Sink = event_printer>
  requires std::invocable<Sink&, const resource_event&>
class logging {
 public:
  static constexpr std::size_t min_alignment = resource_traits<R>::min_alignment;

  logging() = default;

  /// Effects: constructs the resource from the arguments.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit logging(Sink sink, Arguments&&... arguments)
      : resource_(std::forward<Arguments>(arguments)...), sink_(std::move(sink)) {}

  logging(const logging&) = delete;
  logging& operator=(const logging&) = delete;
  ~logging() = default;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    void* p = told({resource_call::allocate, nullptr, bytes, align},
                   [&] { return resource_.allocate(bytes, align); });
    return p;
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    void* p = resource_.try_allocate(bytes, align);
    sink_({resource_call::allocate, p, bytes, align});
    return p;
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    resource_.deallocate(p, bytes, align);
    sink_({resource_call::deallocate, p, bytes, align});
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<R>
  {
    const bool expanded = resource_.try_expand(p, old_bytes, new_bytes, align);
    sink_({resource_call::expand, expanded ? p : nullptr, new_bytes, align, p, old_bytes});
    return expanded;
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align)
    requires reallocating_resource<R>
  {
    return told({resource_call::reallocate, nullptr, new_bytes, align, p, old_bytes},
                [&] { return resource_.reallocate(p, old_bytes, new_bytes, align); });
  }

  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes, std::size_t align = default_align)
    requires generous_resource<R>
  {
    resource_event e{resource_call::allocate, nullptr, bytes, align};
    sized_block b{};
    told(e, [&] {
      b = resource_.allocate_at_least(bytes, align);
      return b.pointer;
    });
    return b;
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<R>
  {
    return resource_.owns(p);
  }

  void release() noexcept
    requires releasing_resource<R>
  {
    resource_.release();
    sink_({resource_call::release});
  }

  void reset() noexcept
    requires resettable_resource<R>
  {
    resource_.reset();
    sink_({resource_call::reset});
  }

  [[nodiscard]] R& base() noexcept { return resource_; }
  [[nodiscard]] const R& base() const noexcept { return resource_; }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  /// Tells of a call that may throw, either way.
  template <class F>
  void* told(resource_event e, F call) {
    struct on_return {
      Sink& sink;
      resource_event& event;
      ~on_return() { sink(event); }
    } const tell{sink_, e};
    e.pointer = call();
    return e.pointer;
  }

  R resource_;
  Sink sink_;
};

}  // namespace heapsmith
