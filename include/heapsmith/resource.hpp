// The resource concept: what every allocator of the family models, and the default upstream.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>

namespace heapsmith {

/// What a resource's allocate_at_least returns: a block and how many bytes of it may be used.
struct sized_block {
  void* pointer;
  std::size_t bytes;
};

/**
 * A resource hands out blocks of memory and takes them back.
 *
 * # Requires of every model `r` of type `R`
 * - `r.allocate(bytes, align)`: a block of at least `bytes` bytes at a multiple of `align`, a power
 * of two; throws std::bad_alloc when there is none.
 * - `r.try_allocate(bytes, align)`: the same, or nullptr; does not throw.
 * - `r.deallocate(p, bytes, align)`: ends the block, with what it was asked with; does not throw.
 *
 * `allocate(0, align)` returns a block unlike all other live ones. A failed call changes nothing.
 *
 * # Optional operations, each with a concept of its own below
 * try_expand, reallocate, allocate_at_least, owns, release, reset, stats.
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

/// `r.try_expand(p, old_bytes, new_bytes, align)`: true when the block is now new_bytes long, in
/// place.
template <class R>
concept expanding_resource = resource<R> && requires(R& r, void* p, std::size_t old_bytes,
                                                     std::size_t new_bytes, std::size_t align) {
  { r.try_expand(p, old_bytes, new_bytes, align) } noexcept -> std::same_as<bool>;
};

/// `r.reallocate(p, old_bytes, new_bytes, align)`: the block with its contents, in place or moved;
/// throws std::bad_alloc and leaves the block as it was when there is no memory.
template <class R>
concept reallocating_resource = resource<R> && requires(R& r, void* p, std::size_t old_bytes,
                                                        std::size_t new_bytes, std::size_t align) {
  { r.reallocate(p, old_bytes, new_bytes, align) } -> std::same_as<void*>;
};

/// `r.allocate_at_least(bytes, align)`: as allocate, and tells how much may be used. The block is
/// deallocated with any size from `bytes` to what was told.
template <class R>
concept generous_resource = resource<R> && requires(R& r, std::size_t bytes, std::size_t align) {
  { r.allocate_at_least(bytes, align) } -> std::same_as<sized_block>;
};

/// `r.owns(p)`: whether `p` points into memory the resource hands out.
template <class R>
concept owning_resource = resource<R> && requires(const R& r, const void* p) {
  { r.owns(p) } noexcept -> std::same_as<bool>;
};

/// `r.release()`: ends every block at once and returns all memory upstream.
template <class R>
concept releasing_resource = resource<R> && requires(R& r) {
  { r.release() } noexcept;
};

/// `r.reset()`: ends every block at once and keeps the memory for what comes next.
template <class R>
concept resettable_resource = resource<R> && requires(R& r) {
  { r.reset() } noexcept;
};

/// `r.stats()`: figures about the resource, of a type of its own.
template <class R>
concept measured_resource = resource<R> && requires(const R& r) { r.stats(); };

/**
 * What a resource promises beyond its operations, as constants that templates decide by.
 *
 * A resource states them as static members of the same names; one that states nothing promises
 * nothing.
 *
 * ```cpp
 * static_assert(heapsmith::resource_traits<heapsmith::global_heap>::min_alignment == 16);
 * ```
 */
template <resource R>
struct resource_traits {
  /// deallocate() does nothing that matters: whoever ends everything at once may leave it out.
  static constexpr bool deallocate_is_trivial = [] {
    if constexpr (requires { bool{R::deallocate_is_trivial}; })
      return R::deallocate_is_trivial;
    else
      return false;
  }();

  /// Every block is aligned to at least this many bytes, whatever was asked.
  static constexpr std::size_t min_alignment = [] {
    if constexpr (requires { std::size_t{R::min_alignment}; })
      return R::min_alignment;
    else
      return std::size_t{1};
  }();

  /// All operations may be called by any thread at any time, and blocks be deallocated by another
  /// thread.
  static constexpr bool is_thread_safe = [] {
    if constexpr (requires { bool{R::is_thread_safe}; })
      return R::is_thread_safe;
    else
      return false;
  }();
};

/**
 * Aligned operator new: the upstream of every allocator that is not given another.
 *
 * Effects: allocates with operator new(bytes, align) and deallocates with the sized, aligned
 * operator delete, so it follows a preloaded malloc and links nothing.
 * Errors: std::bad_alloc; an installed new_handler is honoured by both forms.
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
    if (align <= default_align)
      ::operator delete(p, at_least(bytes, align));
    else
      ::operator delete(p, bytes, static_cast<std::align_val_t>(align));
  }

  friend bool operator==(const default_resource&, const default_resource&) = default;

 private:
  static constexpr std::size_t default_align = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  /// Operator new aligns for objects of the size it is asked for: 8 bytes may lie at a multiple of
  /// 8, whatever default_align is.
  static constexpr std::size_t at_least(std::size_t bytes, std::size_t align) {
    return bytes < align ? align : bytes;
  }
};

static_assert(resource<default_resource>);

}  // namespace heapsmith
