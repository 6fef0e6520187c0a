// make() and its relatives: how arenas and scopes construct objects.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <span>  // brings std::ranges::sized_range, too
#include <type_traits>
#include <utility>

#include "heapsmith/detail/arena/object_runs.hpp"
#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/lifetime.hpp"
#include "heapsmith/detail/on_failure.hpp"

namespace heapsmith::detail {

/**
 * The part of an arena or a scope that makes objects.
 *
 * `Memory` derives from it and has `build<T, on_failure>(count, construct)`, which returns `count`
 * objects that `construct(at)` has constructed.
 *
 * Errors of make(), make_array() and make_span(): arena_exhausted if the arena is full and gets no
 * memory from upstream; std::bad_array_new_length if an array would be too long. The forms that
 * begin with `try_` return nullptr, or an empty span without data, instead. All pass on what a
 * constructor throws. After an error no object was made.
 */
template <class Memory>
class object_maker {
  using enum on_failure;

 public:
  /// Effects: constructs a T from the arguments. Returns: the object.
  template <class T, class... Arguments>
    requires std::constructible_from<T, Arguments...>
  [[gnu::always_inline]] T& make(Arguments&&... arguments) HS_LIFETIMEBOUND {
    return *make_one<T, throws>(std::forward<Arguments>(arguments)...);
  }

  /// As make(). Returns: nullptr if there is no memory.
  template <class T, class... Arguments>
    requires std::constructible_from<T, Arguments...>
  [[nodiscard, gnu::always_inline]] T* try_make(Arguments&&... arguments) noexcept(
      std::is_nothrow_constructible_v<T, Arguments...>) HS_LIFETIMEBOUND {
    return make_one<T, returns_null>(std::forward<Arguments>(arguments)...);
  }

  /// Effects: value-initialises `count` objects: numbers are zero. Returns: the first object.
  template <class T>
    requires std::default_initializable<T>
  T* make_array(std::size_t count) HS_LIFETIMEBOUND {
    return make_many<T, throws>(count, construct_values<T>());
  }

  /// As make_array(). Returns: nullptr if there is no memory, or the array would be too long.
  template <class T>
    requires std::default_initializable<T>
  [[nodiscard]] T* try_make_array(std::size_t count) noexcept(
      std::is_nothrow_default_constructible_v<T>) HS_LIFETIMEBOUND {
    return make_many<T, returns_null>(count, construct_values<T>());
  }

  /// As make_array(). Returns: a span of the objects.
  template <class T>
    requires std::default_initializable<T>
  std::span<T> make_span(std::size_t count) HS_LIFETIMEBOUND {
    return {make_array<T>(count), count};
  }

  /// As make_span(). Returns: a span without data if there is no memory.
  template <class T>
    requires std::default_initializable<T>
  [[nodiscard]] std::span<T> try_make_span(std::size_t count) noexcept(
      std::is_nothrow_default_constructible_v<T>) HS_LIFETIMEBOUND {
    T* const first = try_make_array<T>(count);
    return {first, first == nullptr ? 0 : count};
  }

  /// Effects: copies the elements of the range. Returns: a span of the copies.
  template <std::ranges::sized_range Range, class T = std::ranges::range_value_t<Range>>
    requires std::constructible_from<T, std::ranges::range_reference_t<Range>>
  std::span<T> make_span(Range&& range) HS_LIFETIMEBOUND {
    const auto count = static_cast<std::size_t>(std::ranges::size(range));
    return {make_many<T, throws>(count, construct_copies<T, Range>{range}), count};
  }

  /// As make_span(). Returns: a span without data if there is no memory.
  template <std::ranges::sized_range Range, class T = std::ranges::range_value_t<Range>>
    requires std::constructible_from<T, std::ranges::range_reference_t<Range>>
  [[nodiscard]] std::span<T>
  try_make_span(Range&& range) noexcept(construct_copies<T, Range>::is_nothrow) HS_LIFETIMEBOUND {
    const auto count = static_cast<std::size_t>(std::ranges::size(range));
    T* const first = make_many<T, returns_null>(count, construct_copies<T, Range>{range});
    return {first, first == nullptr ? 0 : count};
  }

 private:
  friend Memory;
  object_maker() = default;
  ~object_maker() = default;

  [[gnu::always_inline]] Memory& memory() noexcept { return static_cast<Memory&>(*this); }

  template <class T, on_failure Otherwise, class... Arguments>
  [[gnu::always_inline]] T*
  make_one(Arguments&&... arguments) noexcept(Otherwise == returns_null &&
                                              std::is_nothrow_constructible_v<T, Arguments...>) {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "arrays are made by make_array");
    return memory().template build<T, Otherwise>(
        1, [&](T* at) noexcept(std::is_nothrow_constructible_v<T, Arguments...>) {
          make_at<T>(at, std::forward<Arguments>(arguments)...);
        });
  }

  /// `construct(at, count)` constructs all of them, or throws and leaves none.
  template <class T, on_failure Otherwise, class Construct>
  T* make_many(std::size_t count,
               Construct construct) noexcept(Otherwise == returns_null && Construct::is_nothrow) {
    if (count > longest_array<T>) [[unlikely]] {
      if constexpr (Otherwise == throws) raise(std::bad_array_new_length());
      return nullptr;
    }
    return memory().template build<T, Otherwise>(
        count, [&](T* at) noexcept(Construct::is_nothrow) { construct(at, count); });
  }
};

}  // namespace heapsmith::detail
