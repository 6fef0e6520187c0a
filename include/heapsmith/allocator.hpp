// Allocators for containers of the standard library: allocator<T> on the heap, and
// resource_allocator<T, R> on any resource.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <version>

#if defined(__cpp_lib_allocate_at_least)
#include <memory>
#endif

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/resource.hpp"

#if !defined(_WIN32)
#include "heapsmith/heap.hpp"
#endif

namespace heapsmith {

#if defined(__cpp_lib_allocate_at_least)
/// A pointer, and the number of objects that its memory has room for.
template <class Pointer>
using allocation_result = std::allocation_result<Pointer, std::size_t>;
#else
/// A pointer, and the number of objects that its memory has room for: std::allocation_result of
/// C++23.
template <class Pointer>
struct allocation_result {
  Pointer ptr;
  std::size_t count;
};
#endif

namespace detail {

/// Returns: the bytes of `n` objects.
/// Errors: throws std::bad_array_new_length if they overflow std::size_t.
template <class T>
constexpr std::size_t bytes_of(std::size_t n) {
  if constexpr (sizeof(T) > 1)
    if (n > SIZE_MAX / sizeof(T)) raise(std::bad_array_new_length());
  return n * sizeof(T);
}

}  // namespace detail

#if defined(_WIN32)

template <class T>
class allocator {
  static_assert(sizeof(T) == 0,
                "heapsmith::allocator uses the heap, which is for Linux. On Windows, use "
                "resource_allocator with another resource; docs/windows.md lists them.");
};

#else

/**
 * A stateless allocator on heapsmith's heap. Use it to put some containers on the heap and leave
 * malloc unchanged for the rest of the program.
 *
 * All objects are equal, for all `T`, so containers move and splice in constant time. Over-aligned
 * types are aligned. Needs libheapsmith (or the preload) at link time.
 *
 * libstdc++ moves the elements of a growing vector with one memcpy only for std::allocator. With
 * any other allocator it uses a loop, which GCC vectorizes at -O3 but not at -O2. A program that
 * mostly grows vectors of numbers, and is compiled with -O2, gains more by preloading heapsmith.
 *
 * Errors: throws std::bad_array_new_length if n * sizeof(T) overflows; std::bad_alloc if there is
 * no memory.
 * Complexity and thread safety: those of global_heap.
 *
 * ```cpp
 * std::vector<int, heapsmith::allocator<int>> numbers(1000);
 * ```
 */
template <class T>
class allocator {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;

  constexpr allocator() noexcept = default;
  template <class U>
  constexpr allocator(const allocator<U>&) noexcept {}  // implicit: containers rebind

  /// Returns: memory for `n` objects. Constructs none.
  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(global_heap().allocate(detail::bytes_of<T>(n), alignof(T)));
  }

  /// Returns: memory for at least `n` objects, and their number. deallocate() accepts both numbers.
  [[nodiscard]] allocation_result<T*> allocate_at_least(std::size_t n) {
    const sized_block b = global_heap().allocate_at_least(detail::bytes_of<T>(n), alignof(T));
    return {static_cast<T*>(b.pointer), b.bytes / sizeof(T)};
  }

  void deallocate(T* p, std::size_t n) noexcept {
    global_heap().deallocate(p, n * sizeof(T), alignof(T));
  }

  template <class U>
  friend constexpr bool operator==(const allocator&, const allocator<U>&) noexcept {
    return true;
  }
};

#endif

/**
 * An allocator on any resource, for containers in an arena, a pool or a region.
 *
 * A resource that can be copied (default_resource, resource_ref) is copied. The allocator refers to
 * any other resource, which must outlive the containers.
 *
 * # Propagation
 * - Allocators are equal if they use the same resource.
 * - Move assignment and swap also move the resource. They take constant time, move no element, and
 *   keep iterators valid.
 * - Copy assignment keeps the target's resource. Copy construction uses the source's resource,
 *   unless another one is given.
 * - Splicing and merging containers requires equal allocators, as the standard says.
 *
 * Errors: throws std::bad_array_new_length if n * sizeof(T) overflows; those of the resource.
 * Thread safety: that of the resource.
 *
 * ```cpp
 * heapsmith::unsynchronized_pool pool;
 * using node_allocator = heapsmith::resource_allocator<int, heapsmith::unsynchronized_pool<>>;
 * std::list<int, node_allocator> numbers{node_allocator(pool)};
 * ```
 */
template <class T, resource R>
class resource_allocator {
  template <class U, resource S>
  friend class resource_allocator;

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using is_always_equal = std::bool_constant<detail::resource_handle<R> && std::is_empty_v<R>>;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U>
  struct rebind {
    using other = resource_allocator<U, R>;
  };

  /// Effects: uses a default-constructed resource, such as default_resource.
  resource_allocator() noexcept
    requires detail::resource_handle<R> && std::default_initializable<R>
  = default;

  /// Effects: allocates from `r`, or from a copy if `r` is a handle. Implicit, so that a resource
  /// can be passed as the allocator of a container.
  resource_allocator(R& r) noexcept
    requires(!detail::resource_handle<R>)
      : resource_(r) {}
  resource_allocator(const R& r) noexcept
    requires detail::resource_handle<R>
      : resource_(r) {}

  template <class U>
  resource_allocator(const resource_allocator<U, R>& other) noexcept : resource_(other.resource_) {}

  /// Returns: memory for `n` objects. Constructs none.
  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(resource_->allocate(detail::bytes_of<T>(n), alignof(T)));
  }

  /// Returns: memory for at least `n` objects, and their number. deallocate() accepts both numbers.
  [[nodiscard]] allocation_result<T*> allocate_at_least(std::size_t n) {
    if constexpr (generous_resource<R>) {
      const sized_block b = resource_->allocate_at_least(detail::bytes_of<T>(n), alignof(T));
      return {static_cast<T*>(b.pointer), b.bytes / sizeof(T)};
    } else {
      return {allocate(n), n};
    }
  }

  void deallocate(T* p, std::size_t n) noexcept {
    resource_->deallocate(p, n * sizeof(T), alignof(T));
  }

  /// Returns: the resource.
  [[nodiscard]] R& base() const noexcept { return *resource_; }

  template <class U>
  friend bool operator==(const resource_allocator& a, const resource_allocator<U, R>& b) noexcept {
    if constexpr (is_always_equal::value)
      return true;
    else if constexpr (detail::resource_handle<R>)
      return a.base() == b.base();
    else
      return detail::address_of(a.base()) == detail::address_of(b.base());
  }

 private:
  [[no_unique_address]] detail::upstream<R> resource_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
