// Objects side by side in a scope: how they are constructed, and destroyed as runs of one type.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <ranges>
#include <type_traits>

namespace heapsmith::detail {

/**
 * Objects of one type at [begin, end), without gaps, to be destroyed from the last to the first.
 *
 * A run lies before its first object in the scope's memory. Objects of the same type that follow
 * lengthen it, so a million objects cost one entry and are destroyed in a loop without calls.
 */
struct object_run {
  using destroy_function = void (*)(char* begin, char* end) noexcept;

  object_run* older = nullptr;
  destroy_function destroy = nullptr;
  char* begin = nullptr;
  char* end = nullptr;
};

/// The oldest run of every scope. No type's objects lengthen it, and nothing is ever written to it.
inline constinit object_run no_objects;

template <class T>
void destroy_run(char* begin, char* end) noexcept {
  T* const first = reinterpret_cast<T*>(begin);
  for (T* i = reinterpret_cast<T*>(end); i != first;) (--i)->~T();
}

/// Effects: `construct(at + i)` for each i below `count`. When one throws, those before it are
/// destroyed, last first, as the language does with an array.
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

/// No array has more objects.
template <class T>
inline constexpr std::size_t longest_array =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T);

/// Constructs objects from no arguments, all or none.
template <class T>
struct construct_values {
  static constexpr bool is_nothrow = std::is_nothrow_default_constructible_v<T>;

  void operator()(T* at, std::size_t count) const noexcept(is_nothrow) {
    if constexpr (is_nothrow)
      std::uninitialized_value_construct_n(at, count);
    else
      construct_each(at, count, [](T* one) { ::new (one) T(); });
  }
};

/// Constructs copies of a range's first objects, all or none.
template <class T, std::ranges::range Range>
struct construct_copies {
  std::remove_reference_t<Range>& range;

  static constexpr bool is_nothrow = noexcept(std::ranges::size(range)) &&
                                     noexcept(std::ranges::begin(range)) &&
                                     noexcept(++std::declval<std::ranges::iterator_t<Range>&>()) &&
                                     noexcept(::new (nullptr) T(*std::ranges::begin(range)));

  void operator()(T* at, std::size_t count) const noexcept(is_nothrow) {
    auto next = std::ranges::begin(range);
    construct_each(at, count, [&](T* one) {
      ::new (one) T(*next);
      ++next;
    });
  }
};

}  // namespace heapsmith::detail
