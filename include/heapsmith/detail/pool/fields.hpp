// The fields of a row type, found at compile time: how many there are, and references to them.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heapsmith {

/// The row type of a `soa_pool` whose rows are std::tuple<Fields...>.
template <class... Fields>
struct columns {};

}  // namespace heapsmith

namespace heapsmith::detail {

/// Converts to the type of any field, but not to the whole aggregate.
template <class Whole>
struct any_field {
  template <class Field>
    requires(!std::same_as<Field, Whole>)
  operator Field() const noexcept;
};

/// Whether `T` can be initialised from `Before` values, then `{}` if `Empty`, then `After` values.
template <class T, bool Empty, std::size_t... Before, std::size_t... After>
constexpr bool takes(std::index_sequence<Before...>, std::index_sequence<After...>) {
  if constexpr (Empty)
    return requires { T{(void(Before), any_field<T>())..., {}, (void(After), any_field<T>())...}; };
  else
    return requires { T{(void(Before), any_field<T>())...}; };
}

inline constexpr std::size_t most_fields = 16;

/// Returns: how many fields `T` has, or most_fields + 1 if it has more than most_fields.
template <class T, std::size_t N = most_fields + 1>
constexpr std::size_t field_count() {
  if constexpr (N == 0 || takes<T, false>(std::make_index_sequence<N>(), std::index_sequence<>()))
    return N;
  else
    return field_count<T, N - 1>();
}

/// Without braces of its own, an array takes several initialisers, which count as several fields.
/// With braces it is one field, and fewer initialisers can follow.
template <class T, std::size_t... P>
constexpr bool has_array_field(std::index_sequence<P...>) {
  return ((takes<T, true>(std::make_index_sequence<P>(), std::index_sequence<>()) &&
           !takes<T, true>(std::make_index_sequence<P>(),
                           std::make_index_sequence<sizeof...(P) - P - 1>())) ||
          ...);
}

/// Returns: std::tie of the fields of `v`, which only a structured binding can name.
template <class T>
constexpr auto tie_fields(T& v) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n != 0 && n <= most_fields, "a row has 1 to 16 fields");
  static_assert(!has_array_field<std::remove_const_t<T>>(std::make_index_sequence<n>()),
                "a field is an array: use std::array, or list the columns");
  // clang-format off
#define HS_TIE(count, ...) \
  if constexpr (n == (count)) { auto& [__VA_ARGS__] = v; return std::tie(__VA_ARGS__); }
  HS_TIE(1, a)
  HS_TIE(2, a, b)
  HS_TIE(3, a, b, c)
  HS_TIE(4, a, b, c, d)
  HS_TIE(5, a, b, c, d, e)
  HS_TIE(6, a, b, c, d, e, f)
  HS_TIE(7, a, b, c, d, e, f, g)
  HS_TIE(8, a, b, c, d, e, f, g, h)
  HS_TIE(9, a, b, c, d, e, f, g, h, i)
  HS_TIE(10, a, b, c, d, e, f, g, h, i, j)
  HS_TIE(11, a, b, c, d, e, f, g, h, i, j, k)
  HS_TIE(12, a, b, c, d, e, f, g, h, i, j, k, l)
  HS_TIE(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  HS_TIE(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  HS_TIE(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  HS_TIE(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
#undef HS_TIE
  // clang-format on
}

/// Aggregates of a class type, except std::array and its like, which are one value each.
template <class T>
concept splittable =
    std::is_aggregate_v<T> && std::is_class_v<T> && !requires { std::tuple_size<T>::value; };

/// How rows of `T` are split: `tie` returns references to the fields of a row.
template <class T>
struct row_traits {
  using value_type = T;
  static constexpr auto tie(auto& v) {
    if constexpr (splittable<T>)
      return tie_fields(v);
    else
      return std::tie(v);
  }
  /// Returns: the row of these fields. Only an aggregate takes braces: any other type might have a
  /// constructor that takes a list of such values.
  template <class... Fields>
  static constexpr value_type made_of(Fields&&... fields) {
    if constexpr (splittable<T>)
      return value_type{std::forward<Fields>(fields)...};
    else
      return value_type(std::forward<Fields>(fields)...);
  }
};
template <class... Fields>
struct row_traits<columns<Fields...>> {
  using value_type = std::tuple<Fields...>;
  static constexpr auto tie(auto& v) {
    return std::apply([](auto&... f) { return std::tie(f...); }, v);
  }
  static constexpr value_type made_of(auto&&... fields) {
    return value_type(std::forward<decltype(fields)>(fields)...);
  }
};

/// Returns: `f` called with the numbers of the fields as template arguments.
template <class... Fields>
constexpr decltype(auto) with_each(auto f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return f.template operator()<I...>();
  }(std::index_sequence_for<Fields...>());
}

}  // namespace heapsmith::detail
