// Rows whose fields lie in columns: what a row type is split into, and the proxy for one row.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/aggregate.hpp"

namespace heapsmith {

/// Names the columns of a `soa_pool` whose rows have no type of their own: they are tuples.
template <class... Fields>
struct columns {};

}  // namespace heapsmith

namespace heapsmith::detail {

/// A row of a container: what its operations touch all the time, and what the user keeps there.
template <class Hot, class T>
struct split_node {
  Hot hot;
  T value;
};
template <class Hot>
struct split_node<Hot, void> {
  Hot hot;
};

/// What a row of type `T` is split into. `tie` gives references to the fields; a row is assigned
/// through them.
template <class T>
struct row_traits {
  using value_type = T;
  static constexpr auto tie(T& v) { return std::tie(v); }
  static constexpr auto tie(const T& v) { return std::tie(v); }
};
template <splittable T>
struct row_traits<T> {
  using value_type = T;
  static constexpr auto tie(T& v) { return tie_fields(v); }
  static constexpr auto tie(const T& v) { return tie_fields(v); }
};
template <class... Fields>
struct row_traits<columns<Fields...>> {
  using value_type = std::tuple<Fields...>;
  static constexpr auto tie(value_type& v) {
    return std::apply([](auto&... f) { return std::tie(f...); }, v);
  }
  static constexpr auto tie(const value_type& v) {
    return std::apply([](auto&... f) { return std::tie(f...); }, v);
  }
};
/// What is hot stays together, whatever it has inside.
template <class Hot, class T>
struct row_traits<split_node<Hot, T>> {
  using value_type = split_node<Hot, T>;
  static constexpr auto tie_parts(const Hot& hot, const T& value) {
    return std::tuple_cat(std::tie(hot), row_traits<T>::tie(value));
  }
  static constexpr auto tie(value_type& v) {
    return std::tuple_cat(std::tie(v.hot), row_traits<T>::tie(v.value));
  }
  static constexpr auto tie(const value_type& v) {
    return std::tuple_cat(std::tie(v.hot), row_traits<T>::tie(v.value));
  }
};
template <class Hot>
struct row_traits<split_node<Hot, void>> {
  using value_type = split_node<Hot, void>;
  static constexpr auto tie_parts(const Hot& hot) { return std::tie(hot); }
  static constexpr auto tie(value_type& v) { return std::tie(v.hot); }
  static constexpr auto tie(const value_type& v) { return std::tie(v.hot); }
};

template <class Tie>
struct tied_types;
template <class... Fields>
struct tied_types<std::tuple<Fields&...>> {
  template <template <class...> class To>
  using into = To<Fields...>;
};
template <class T>
using fields_of =
    tied_types<decltype(row_traits<T>::tie(std::declval<typename row_traits<T>::value_type&>()))>;

/**
 * One row of columns: references to its fields. Copying it copies the references; assigning to it
 * assigns to the fields, and it converts to the row type.
 *
 * `get<I>()` and structured bindings reach single fields, so that the others are not touched.
 */
template <class T, class... Fields>
class soa_row {
 public:
  using value_type = typename row_traits<T>::value_type;

  explicit constexpr soa_row(Fields&... fields) noexcept : fields_(fields...) {}
  constexpr soa_row(const soa_row&) noexcept = default;
  ~soa_row() = default;

  template <std::size_t I>
  [[nodiscard]] constexpr auto& get() const noexcept {
    return std::get<I>(fields_);
  }

  constexpr const soa_row& operator=(const value_type& v) const
    requires(!std::is_const_v<Fields> && ...)
  {
    fields() = row_traits<T>::tie(v);
    return *this;
  }
  constexpr const soa_row& operator=(value_type&& v) const
    requires(!std::is_const_v<Fields> && ...)
  {
    auto from = row_traits<T>::tie(v);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(fields_) = std::move(std::get<I>(from))), ...);
    }(std::index_sequence_for<Fields...>());
    return *this;
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): fields assign themselves.
  constexpr soa_row& operator=(const soa_row& other)
    requires(!std::is_const_v<Fields> && ...)
  {
    fields() = other.fields_;
    return *this;
  }
  constexpr const soa_row& operator=(const soa_row& other) const
    requires(!std::is_const_v<Fields> && ...)
  {
    fields() = other.fields_;
    return *this;
  }

  /// Returns: the row by value.
  constexpr operator value_type() const { return assembled(*this, false); }
  constexpr operator soa_row<T, const Fields...>() const noexcept
    requires(!std::is_const_v<Fields> && ...)
  {
    return std::apply([](auto&... f) { return soa_row<T, const Fields...>(f...); }, fields_);
  }

  /// Returns: the row by value, the fields having moved out of the columns.
  [[nodiscard]] constexpr value_type take() const { return assembled(*this, true); }

  friend constexpr void swap(const soa_row& a, const soa_row& b)
    requires(!std::is_const_v<Fields> && ...)
  {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      using std::swap;
      (swap(a.template get<I>(), b.template get<I>()), ...);
    }(std::index_sequence_for<Fields...>());
  }
  /// For rows that have names: here std::swap would match better, and swap the references.
  friend constexpr void swap(soa_row& a, soa_row& b)
    requires(!std::is_const_v<Fields> && ...)
  {
    swap(std::as_const(a), std::as_const(b));
  }
  friend constexpr bool operator==(const soa_row& a, const soa_row& b) {
    return a.fields_ == b.fields_;
  }

 private:
  constexpr std::tuple<Fields&...> fields() const noexcept { return fields_; }

  static constexpr value_type assembled(const soa_row& row, bool moves) {
    return std::apply(
        [&](auto&... f) {
          if constexpr ((std::is_const_v<Fields> || ...))
            return value_type{f...};
          else
            return moves ? value_type{std::move(f)...} : value_type{f...};
        },
        row.fields_);
  }

  std::tuple<Fields&...> fields_;
};

}  // namespace heapsmith::detail

template <class T, class... Fields>
struct std::tuple_size<heapsmith::detail::soa_row<T, Fields...>>
    : std::integral_constant<std::size_t, sizeof...(Fields)> {};
template <std::size_t I, class T, class... Fields>
struct std::tuple_element<I, heapsmith::detail::soa_row<T, Fields...>> {
  using type = std::tuple_element_t<I, std::tuple<Fields...>>&;
};

/// A row and a value have the value in common: the algorithms of C++20 ask for it.
template <class T, class... Fields, template <class> class Q, template <class> class R>
struct std::basic_common_reference<heapsmith::detail::soa_row<T, Fields...>,
                                   typename heapsmith::detail::row_traits<T>::value_type, Q, R> {
  using type = typename heapsmith::detail::row_traits<T>::value_type;
};
template <class T, class... Fields, template <class> class Q, template <class> class R>
struct std::basic_common_reference<typename heapsmith::detail::row_traits<T>::value_type,
                                   heapsmith::detail::soa_row<T, Fields...>, Q, R> {
  using type = typename heapsmith::detail::row_traits<T>::value_type;
};
