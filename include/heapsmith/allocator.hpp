// Allocators for the containers of the standard library: allocator<T> on the heap, and
// resource_allocator<T, R> over any resource.
#pragma once

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
#include "heapsmith/heap.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

#if defined(__cpp_lib_allocate_at_least)
/// Where memory for how many objects lies; std's own where there is one.
template <class Pointer>
using allocation_result = std::allocation_result<Pointer, std::size_t>;
#else
/// Where memory for how many objects lies: std::allocation_result, before C++23.
template <class Pointer>
struct allocation_result {
  Pointer ptr;
  std::size_t count;
};
#endif

namespace detail {

/// Returns: the bytes of `n` objects; throws std::bad_array_new_length when no size_t holds them.
template <class T>
constexpr std::size_t bytes_of(std::size_t n) {
  if constexpr (sizeof(T) > 1)
    if (n > SIZE_MAX / sizeof(T)) raise(std::bad_array_new_length());
  return n * sizeof(T);
}

}  // namespace detail

/**
 * An allocator on heapsmith's heap, without state: for programs that want the heap in some of their
 * containers, and malloc as it is everywhere else.
 *
 * All objects are equal, whatever their `T`, so containers move and splice in constant time.
 * Over-aligned types are aligned. Needs libheapsmith (or the preload) at link time.
 *
 * libstdc++ relocates the elements of a vector at once only with std::allocator, and one by one
 * with any other, this one among them: a loop that GCC vectorizes at -O3 and not at -O2. A program
 * that mostly grows vectors of numbers, and is compiled with -O2, gains more by preloading
 * heapsmith.
 *
 * Errors: std::bad_array_new_length when n * sizeof(T) overflows; std::bad_alloc without memory.
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

  /// Returns: memory for `n` objects, which are not constructed.
  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(global_heap().allocate(detail::bytes_of<T>(n), alignof(T)));
  }

  /// Returns: memory for at least `n` objects, and for how many; deallocate takes either number.
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

/**
 * An allocator over any resource: containers on an arena, a pool, a region.
 *
 * It holds the resource as other resources hold their upstream. One that can be copied
 * (default_resource, resource_ref) is copied; any other is referred to and must outlive the
 * containers.
 *
 * # Propagation
 * - Equal: objects whose blocks may be deallocated through each other, that is, of one resource.
 * - Move assignment and swap take the resource along: constant time, no element moves, and
 *   iterators stay valid.
 * - Copy assignment keeps the target's resource: where a container's memory lies is a property of
 *   that container. Copy construction uses the source's, unless another is given.
 * - Splicing and merging between containers requires equal allocators, as the standard says.
 *
 * Errors: std::bad_array_new_length when n * sizeof(T) overflows; those of the resource.
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

  /// Over a resource that needs no object, such as default_resource.
  resource_allocator() noexcept
    requires detail::resource_handle<R> && std::default_initializable<R>
  = default;

  /// Effects: allocates from `r`, or from a copy if it is a handle. Implicit, so that a resource
  /// may be passed where a container wants its allocator.
  resource_allocator(R& r) noexcept
    requires(!detail::resource_handle<R>)
      : resource_(r) {}
  resource_allocator(const R& r) noexcept
    requires detail::resource_handle<R>
      : resource_(r) {}

  template <class U>
  resource_allocator(const resource_allocator<U, R>& other) noexcept : resource_(other.resource_) {}

  /// Returns: memory for `n` objects, which are not constructed.
  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(resource_->allocate(detail::bytes_of<T>(n), alignof(T)));
  }

  /// Returns: memory for at least `n` objects, and for how many; deallocate takes either number.
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

  /// Returns: the resource that this allocates from.
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
