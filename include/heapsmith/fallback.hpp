// Two resources as one: the second serves requests that the first one refuses.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>

#include "heapsmith/detail/move_block.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Allocates from `Primary`, and from `Secondary` if `Primary` has no memory. Each block returns to
 * the resource that it came from.
 *
 * # Requires
 * `Primary` has `owns`, and recognises its blocks by it. A resource that can be copied is copied;
 * any other is referred to and must outlive this object.
 *
 * # Operations
 * Those of a resource, and reallocate, which moves a block to `Secondary` if `Primary` has no room
 * for the block. There is try_expand if both resources have it, and owns if `Secondary` has it.
 * There is no release and no reset: call these on the two resources.
 *
 * Errors: those of `Secondary`. Complexity: one call of each resource, and of `owns`.
 * Thread safety: that of the two resources.
 * Source: Berger, Zorn, McKinley, "Composing High-Performance Memory Allocators" (2001).
 *
 * ```cpp
 * heapsmith::region local(buffer, sizeof buffer);
 * heapsmith::fallback memory(local, heapsmith::default_resource());
 * void* p = memory.allocate(100);                // from the buffer while it has room
 * ```
 */
template <owning_resource Primary, resource Secondary = default_resource>
class fallback {
 public:
  static constexpr std::size_t min_alignment =
      resource_traits<Primary>::min_alignment < resource_traits<Secondary>::min_alignment
          ? resource_traits<Primary>::min_alignment
          : resource_traits<Secondary>::min_alignment;
  static constexpr bool is_thread_safe =
      resource_traits<Primary>::is_thread_safe && resource_traits<Secondary>::is_thread_safe;

  explicit fallback(Primary& primary)
    requires detail::resource_handle<Secondary> && std::default_initializable<Secondary>
      : primary_(primary) {}
  fallback(Primary& primary, const Secondary& secondary)
    requires detail::resource_handle<Secondary>
      : primary_(primary), secondary_(secondary) {}
  fallback(Primary& primary, Secondary& secondary)
    requires(!detail::resource_handle<Secondary>)
      : primary_(primary), secondary_(secondary) {}

  fallback(const fallback&) = delete;
  fallback& operator=(const fallback&) = delete;
  ~fallback() = default;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    void* p = primary_->try_allocate(bytes, align);
    return p != nullptr ? p : secondary_->allocate(bytes, align);
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    void* p = primary_->try_allocate(bytes, align);
    return p != nullptr ? p : secondary_->try_allocate(bytes, align);
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    on_owner(p, [=](auto& owner) { owner.deallocate(p, bytes, align); });
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<Primary> && expanding_resource<Secondary>
  {
    return on_owner(p,
                    [=](auto& owner) { return owner.try_expand(p, old_bytes, new_bytes, align); });
  }

  /// A block of `Secondary` stays there, even if `Primary` has room again.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align) {
    if (!primary_->owns(p))
      return resized(*secondary_, *secondary_, p, old_bytes, new_bytes, align);
    return resized(*primary_, *this, p, old_bytes, new_bytes, align);
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<Secondary>
  {
    return primary_->owns(p) || secondary_->owns(p);
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  template <class F>
  auto on_owner(const void* p, F f) noexcept {
    return primary_->owns(p) ? f(*primary_) : f(*secondary_);
  }

  template <class From, class To>
  static void* resized(From& from, To& to, void* p, std::size_t old_bytes, std::size_t new_bytes,
                       std::size_t align) {
    if constexpr (expanding_resource<From>)
      if (from.try_expand(p, old_bytes, new_bytes, align)) return p;
    return detail::move_block(from, to, p, old_bytes, new_bytes, align);
  }

  [[no_unique_address]] detail::upstream<Primary> primary_;
  [[no_unique_address]] detail::upstream<Secondary> secondary_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
