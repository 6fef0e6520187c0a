// The fields of an aggregate, found at compile time: how many there are, and references to them.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heapsmith::detail {

/// Converts to the type of any field, but not to the whole aggregate.
template <class Whole>
struct any_field {
  template <class Field>
    requires(!std::same_as<Field, Whole>)
  operator Field() const noexcept;
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_field<T>())...}; };
}

/// Whether empty braces can stand for what the initialiser after those before it stands for, and
/// others follow.
template <class T, std::size_t... Before, std::size_t... After>
constexpr bool takes_empty(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{(static_cast<void>(Before), any_field<T>())...,
      {},
      (static_cast<void>(After), any_field<T>())...};
  };
}

inline constexpr std::size_t most_fields = 16;

/// Returns: how many fields `T` has, or more than most_fields when these are too many.
template <class T, std::size_t N = most_fields + 1>
constexpr std::size_t field_count() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>()))
    return N;
  else
    return field_count<T, N - 1>();
}

/// An array takes several initialisers if it is given no braces, and these were counted as so many
/// fields. Given braces, it is one, and fewer can follow.
template <class T, std::size_t... P>
constexpr bool has_array_field(std::index_sequence<P...>) {
  return ((takes_empty<T>(std::make_index_sequence<P>(), std::index_sequence<>()) &&
           !takes_empty<T>(std::make_index_sequence<P>(),
                           std::make_index_sequence<sizeof...(P) - P - 1>())) ||
          ...);
}

/// Returns: std::tie of the fields of `v`. Each number of fields needs a line of its own, as only
/// a structured binding tells them apart.
template <class T>
constexpr auto tie_fields(T& v) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n != 0 && n <= most_fields, "a row has 1 to 16 fields");
  static_assert(!has_array_field<std::remove_const_t<T>>(std::make_index_sequence<n>()),
                "a field is an array: use std::array, or list the columns");
  // clang-format off
  if constexpr (n == 1) { auto& [a] = v; return std::tie(a); }
  else if constexpr (n == 2) { auto& [a, b] = v; return std::tie(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = v; return std::tie(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = v; return std::tie(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = v; return std::tie(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = v; return std::tie(a, b, c, d, e, f); }
  else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = v;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = v;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = v;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
  }
  // clang-format on
}

/// Aggregates of a class type, but not std::array and its like, which are one value each.
template <class T>
concept splittable =
    std::is_aggregate_v<T> && std::is_class_v<T> && !requires { std::tuple_size<T>::value; };

}  // namespace heapsmith::detail
