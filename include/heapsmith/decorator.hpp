// The base of decorators, which owns a resource and passes every operation on to it.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

enum class resource_call { allocate, deallocate, expand, reallocate, release, reset };

/// One call of a resource.
struct resource_event {
  resource_call call;
  void* pointer = nullptr;      ///< the block; null if the request was refused
  std::size_t bytes = 0;        ///< its requested size
  std::size_t align = 0;        ///< 0 for release and reset
  void* old_pointer = nullptr;  ///< the block before expand or reallocate …
  std::size_t old_bytes = 0;    ///< … and its size
};

/**
 * Owns a resource of type `R`, and has all operations of a resource that `R` has. `Self`, which
 * derives from this class, adds a property by declaring any of these functions:
 *
 * - `enter() const`: returns an object, such as a lock, that lives until the operation has ended.
 * - `admits(event) const`: returns false to refuse a request. `R` does not get it then.
 * - `before_deallocate(event)`: is called before each deallocate, while the block still lives.
 * - `note(event)`: is called after each successful operation except deallocate, owns and stats.
 * - `note_refusal(event)`: is called if `R` has refused a request, also by an exception.
 *
 * # Requires
 * `R` is a resource. These functions do not throw, and do not use this object.
 *
 * Errors: those of `R`; std::bad_alloc, nullptr or false if `admits` returns false.
 * Complexity: that of `R` and of the functions above. Thread safety: that of `R`, unless `enter`
 * returns a lock. Neither copies nor moves.
 * Source: mixins as in Berger, Zorn, McKinley (2001).
 *
 * ```cpp
 * struct small_only : heapsmith::decorator<small_only, heapsmith::default_resource> {
 *   static bool admits(const heapsmith::resource_event& e) noexcept { return e.bytes <= 1024; }
 * } small;
 * void* p = small.allocate(100);
 * small.deallocate(p, 100);
 * ```
 */
template <class Self, class R>
class decorator {
 public:
  static constexpr std::size_t min_alignment = resource_traits<R>::min_alignment;

  /// Effects: constructs the resource from the arguments.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit(sizeof...(Arguments) == 1) decorator(Arguments&&... arguments)
      : resource_(std::forward<Arguments>(arguments)...) {}

  decorator(const decorator&) = delete;
  decorator& operator=(const decorator&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return call({resource_call::allocate, nullptr, bytes, align},
                [&] { return resource_.allocate(bytes, align); });
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    [[maybe_unused]] const auto entered = self().enter();
    resource_event e{resource_call::allocate, nullptr, bytes, align};
    if (!self().admits(e)) return nullptr;
    void* p = resource_.try_allocate(bytes, align);
    if (p == nullptr) {
      self().note_refusal(e);
      return nullptr;
    }
    e.pointer = p;
    self().note(e);
    return p;
  }

  /// Effects: frees the block at `p`; does nothing, and calls no function, if `p` is nullptr.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (p == nullptr) return;
    [[maybe_unused]] const auto entered = self().enter();
    self().before_deallocate({resource_call::deallocate, p, bytes, align});
    resource_.deallocate(p, bytes, align);
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<R>
  {
    [[maybe_unused]] const auto entered = self().enter();
    resource_event e{resource_call::expand, nullptr, new_bytes, align, p, old_bytes};
    if (!self().admits(e)) return false;
    if (!resource_.try_expand(p, old_bytes, new_bytes, align)) {
      self().note_refusal(e);
      return false;
    }
    e.pointer = p;
    self().note(e);
    return true;
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align)
    requires reallocating_resource<R>
  {
    return call({resource_call::reallocate, nullptr, new_bytes, align, p, old_bytes},
                [&] { return resource_.reallocate(p, old_bytes, new_bytes, align); });
  }

  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes, std::size_t align = default_align)
    requires generous_resource<R>
  {
    sized_block b{};
    call({resource_call::allocate, nullptr, bytes, align}, [&] {
      b = resource_.allocate_at_least(bytes, align);
      return b.pointer;
    });
    return b;
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<R>
  {
    [[maybe_unused]] const auto entered = self().enter();
    return resource_.owns(p);
  }

  void release() noexcept
    requires releasing_resource<R>
  {
    [[maybe_unused]] const auto entered = self().enter();
    resource_.release();
    self().note({resource_call::release});
  }

  void reset() noexcept
    requires resettable_resource<R>
  {
    [[maybe_unused]] const auto entered = self().enter();
    resource_.reset();
    self().note({resource_call::reset});
  }

  [[nodiscard]] auto stats() const
    requires measured_resource<R>
  {
    [[maybe_unused]] const auto entered = self().enter();
    return resource_.stats();
  }

  /// Returns: the resource.
  [[nodiscard]] R& base() noexcept { return resource_; }
  [[nodiscard]] const R& base() const noexcept { return resource_; }

 protected:
  static constexpr std::size_t default_align = alignof(std::max_align_t);
  ~decorator() = default;

  struct nothing {};
  static nothing enter() noexcept { return {}; }
  static bool admits(const resource_event&) noexcept { return true; }
  static void before_deallocate(const resource_event&) noexcept {}
  static void note(const resource_event&) noexcept {}
  static void note_refusal(const resource_event&) noexcept {}

  R resource_;

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  /// Not part of call: the exception object would need a cleanup there.
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse() { detail::raise(std::bad_alloc()); }

  template <class F>
  void* call(resource_event e, F f) {
    [[maybe_unused]] const auto entered = self().enter();
    if (!self().admits(e)) refuse();
    struct if_thrown {
      Self* decorated;
      const resource_event& event;
      [[gnu::always_inline]] ~if_thrown() {
        if (decorated != nullptr) decorated->note_refusal(resource_event(event));
      }
    } guard{&self(), e};
    void* p = f();
    guard.decorated = nullptr;
    if (p == nullptr) __builtin_unreachable();  // `f` throws instead
    e.pointer = p;
    self().note(e);
    return p;
  }
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
