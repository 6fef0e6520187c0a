// The resource concept, which every allocator of heapsmith models, and the default upstream.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <new>

namespace heapsmith {

/// The result of allocate_at_least: a block, and its usable size.
struct sized_block {
  void* pointer;
  std::size_t bytes;
};

/**
 * A resource allocates and deallocates blocks of memory.
 *
 * # Required operations of a resource `r`
 * - `r.allocate(bytes, align)` returns a block of at least `bytes` bytes at a multiple of `align`,
 *   which is a power of two. Throws std::bad_alloc if it has no memory.
 * - `r.try_allocate(bytes, align)` does the same, and returns nullptr instead of throwing.
 * - `r.deallocate(p, bytes, align)` ends a block. `bytes` and `align` are those of the request that
 *   returned `p`. Does not throw.
 *
 * `allocate(0, align)` returns a block whose address is unique. A call that fails changes nothing.
 *
 * # Optional operations
 * try_expand, reallocate, allocate_at_least, owns, release, reset, stats. Each has a concept of its
 * own below.
 *
 * Source: the polymorphic resources of C++17 (N3916), without the virtual calls; optional
 * operations as in Alexandrescu's composable allocators (CppCon 2015).
 */
template <class R>
concept resource = requires(R& r, void* p, std::size_t bytes, std::size_t align) {
  { r.allocate(bytes, align) } -> std::same_as<void*>;
  { r.try_allocate(bytes, align) } noexcept -> std::same_as<void*>;
  { r.deallocate(p, bytes, align) } noexcept -> std::same_as<void>;
};

/// `r.try_expand(p, old_bytes, new_bytes, align)` resizes the block in place. Returns: true if it
/// now has `new_bytes` bytes.
template <class R>
concept expanding_resource = resource<R> && requires(R& r, void* p, std::size_t old_bytes,
                                                     std::size_t new_bytes, std::size_t align) {
  { r.try_expand(p, old_bytes, new_bytes, align) } noexcept -> std::same_as<bool>;
};

/// `r.reallocate(p, old_bytes, new_bytes, align)` resizes the block in place, or moves its contents
/// to a new block. Returns: the block. Throws std::bad_alloc, and changes nothing, if there is no
/// memory.
template <class R>
concept reallocating_resource = resource<R> && requires(R& r, void* p, std::size_t old_bytes,
                                                        std::size_t new_bytes, std::size_t align) {
  { r.reallocate(p, old_bytes, new_bytes, align) } -> std::same_as<void*>;
};

/// `r.allocate_at_least(bytes, align)` allocates. Returns: the block and its usable size. The block
/// is deallocated with any size from `bytes` to the usable size.
template <class R>
concept generous_resource = resource<R> && requires(R& r, std::size_t bytes, std::size_t align) {
  { r.allocate_at_least(bytes, align) } -> std::same_as<sized_block>;
};

/// `r.owns(p)` returns whether `p` points into memory from which the resource allocates.
template <class R>
concept owning_resource = resource<R> && requires(const R& r, const void* p) {
  { r.owns(p) } noexcept -> std::same_as<bool>;
};

/// `r.release()` ends all blocks and gives all memory upstream.
template <class R>
concept releasing_resource = resource<R> && requires(R& r) {
  { r.release() } noexcept;
};

/// `r.reset()` ends all blocks and keeps the memory for later blocks.
template <class R>
concept resettable_resource = resource<R> && requires(R& r) {
  { r.reset() } noexcept;
};

/// `r.stats()` returns the statistics of the resource, in a type of its own.
template <class R>
concept measured_resource = resource<R> && requires(const R& r) { r.stats(); };

/**
 * Properties of a resource that templates can test.
 *
 * A resource states a property with a static member of the same name. Without the member, the
 * property has its default value.
 *
 * ```cpp
 * static_assert(heapsmith::resource_traits<heapsmith::global_heap>::min_alignment == 16);
 * ```
 */
template <resource R>
struct resource_traits {
  /// Blocks need not be deallocated, because they end together. Default: false.
  static constexpr bool deallocate_is_trivial = [] {
    if constexpr (requires { bool{R::deallocate_is_trivial}; })
      return R::deallocate_is_trivial;
    else
      return false;
  }();

  /// Every block has at least this alignment. Default: 1.
  static constexpr std::size_t min_alignment = [] {
    if constexpr (requires { std::size_t{R::min_alignment}; })
      return R::min_alignment;
    else
      return std::size_t{1};
  }();

  /// Any thread may call any operation at any time, and deallocate blocks of other threads.
  /// Default: false.
  static constexpr bool is_thread_safe = [] {
    if constexpr (requires { bool{R::is_thread_safe}; })
      return R::is_thread_safe;
    else
      return false;
  }();
};

/**
 * Operator new as a resource: the default upstream of all allocators.
 *
 * Effects: allocates with operator new and deallocates with the sized operator delete, both in
 * their aligned form for more than default_align. So it uses a preloaded malloc, and needs no
 * library.
 * Errors: throws std::bad_alloc. Both forms call an installed new_handler.
 * Thread safety: any thread. All default resources are equal.
 */
class default_resource {
 public:
  static constexpr bool is_thread_safe = true;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return align <= default_align ? ::operator new(at_least(bytes, align))
                                  : ::operator new(bytes, static_cast<std::align_val_t>(align));
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return align <= default_align
               ? ::operator new(at_least(bytes, align), std::nothrow)
               : ::operator new(bytes, static_cast<std::align_val_t>(align), std::nothrow);
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    // Clang has the sized forms from version 19 on, or with -fsized-deallocation.
#if defined(__cpp_sized_deallocation)
    if (align <= default_align)
      ::operator delete(p, at_least(bytes, align));
    else
      ::operator delete(p, bytes, static_cast<std::align_val_t>(align));
#else
    static_cast<void>(bytes);
    if (align <= default_align)
      ::operator delete(p);
    else
      ::operator delete(p, static_cast<std::align_val_t>(align));
#endif
  }

  friend bool operator==(const default_resource&, const default_resource&) = default;

 private:
  static constexpr std::size_t default_align = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  /// Operator new aligns blocks for objects of their size: 8 bytes may lie at a multiple of 8, even
  /// if default_align is 16.
  static constexpr std::size_t at_least(std::size_t bytes, std::size_t align) {
    return bytes < align ? align : bytes;
  }
};

static_assert(resource<default_resource>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
