// Objects side by side in an arena: how they are constructed, and destroyed in runs of one type.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>  // brings std::ranges::sized_range, too
#include <type_traits>
#include <utility>

#include "heapsmith/detail/on_failure.hpp"

namespace heapsmith::detail {

/**
 * Objects of one type at [begin, end), without gaps. They are destroyed from the last to the first.
 *
 * A run lies before its first object in the scope's memory. Objects of the same type that follow
 * lengthen the run, so a million objects need one entry, and a loop without calls destroys them.
 */
struct object_run {
  using destroy_function = void (*)(char* begin, char* end) noexcept;

  object_run* older = nullptr;
  destroy_function destroy = nullptr;
  char* begin = nullptr;
  char* end = nullptr;
};

/// The oldest run of every scope. No object lengthens it, and it is never written to.
inline constinit object_run no_objects;

template <class T>
void destroy_run(char* begin, char* end) noexcept {
  T* const first = reinterpret_cast<T*>(begin);
  for (T* i = reinterpret_cast<T*>(end); i != first;) (--i)->~T();
}

/// Effects: calls `construct(at + i)` for each i below `count`. If a call throws, destroys the
/// objects before it, last first, as the language does with an array.
template <class T, class Construct>
void construct_each(T* at, std::size_t count, Construct construct) {
  struct partial {
    ~partial() { destroy_run<T>(reinterpret_cast<char*>(first), reinterpret_cast<char*>(next)); }
    T* first;
    T* next;
  } made{at, at};
  for (; made.next != at + count; ++made.next) construct(made.next);
  made.first = made.next;
}

/// Memory in which objects are being constructed. It is freed if a constructor throws.
template <class Front>
struct pending_block {
  [[gnu::always_inline]] ~pending_block() {
    if (at != nullptr) front.deallocate(at, bytes);
  }
  Front& front;
  void* at;
  std::size_t bytes;
};

/// Effects: constructs objects in the block at `at`, which `front` has allocated.
/// Returns: the objects; nullptr if `at` is null.
template <class T, on_failure Otherwise, class Front, class Construct>
[[gnu::always_inline]] inline T* construct_in(Front& front, void* at, std::size_t bytes,
                                              Construct& construct) {
  static_assert(std::is_trivially_destructible_v<T>,
                "an arena runs no destructors: make this object in a heapsmith::scope");
  if (Otherwise == on_failure::returns_null && at == nullptr) return nullptr;
  pending_block<Front> memory{front, at, bytes};
  construct(static_cast<T*>(at));
  memory.at = nullptr;
  return static_cast<T*>(at);
}

/// The most objects that an array can have.
template <class T>
inline constexpr std::size_t longest_array =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T);

/// Value-initialises objects: all of them, or none if a constructor throws.
template <class T>
struct construct_values {
  static constexpr bool is_nothrow = std::is_nothrow_default_constructible_v<T>;

  void operator()(T* at, std::size_t count) const noexcept(is_nothrow) {
    if constexpr (std::is_arithmetic_v<T> || std::is_pointer_v<T>)
      std::memset(static_cast<void*>(at), 0, count * sizeof(T));
    else if constexpr (is_nothrow)
      for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(at + i)) T();
    else
      construct_each(at, count, [](T* one) { ::new (one) T(); });
  }
};

/// Copies the elements of a range: all of them, or none if a constructor throws.
template <class T, std::ranges::range Range>
struct construct_copies {
  std::remove_reference_t<Range>& range;

  static constexpr bool is_nothrow = noexcept(std::ranges::size(range)) &&
                                     noexcept(std::ranges::begin(range)) &&
                                     noexcept(++std::declval<std::ranges::iterator_t<Range>&>()) &&
                                     noexcept(::new (nullptr) T(*std::ranges::begin(range)));

  /// Whether the elements lie side by side and are copied as bytes. GCC makes a call of memcpy from
  /// the loop only from -O3 on.
  static constexpr bool is_plain_memory = [] {
    if constexpr (std::ranges::contiguous_range<Range>) {
      using element = std::ranges::range_reference_t<Range>;
      return std::is_trivially_copyable_v<T> && std::is_trivially_constructible_v<T, element> &&
             std::is_same_v<std::remove_const_t<std::remove_reference_t<element>>, T>;
    }
    return false;
  }();

  void operator()(T* at, std::size_t count) const noexcept(is_nothrow) {
    if constexpr (is_plain_memory) {
      if (count != 0) std::memcpy(at, std::ranges::data(range), count * sizeof(T));
    } else {
      auto next = std::ranges::begin(range);
      construct_each(at, count, [&](T* one) {
        ::new (one) T(*next);
        ++next;
      });
    }
  }
};

}  // namespace heapsmith::detail
