// Rows split into columns: a row as references to its fields, and the layout of `soa_pool`.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/pool/column_view.hpp"
#include "heapsmith/detail/pool/fields.hpp"
#include "heapsmith/detail/pool/rows.hpp"

namespace heapsmith::detail {

/**
 * One row of columns: references to its fields. Copying it copies the references; assigning to it
 * assigns to the fields, and it converts to the row type.
 *
 * `get<I>()` and structured bindings reach single fields without touching the others.
 */
template <class T, class... Fields>
class soa_row {
  static constexpr bool is_mutable = (!std::is_const_v<Fields> && ...);

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
    requires is_mutable
  {
    auto to = fields_;
    to = row_traits<T>::tie(v);
    return *this;
  }
  constexpr const soa_row& operator=(value_type&& v) const
    requires is_mutable
  {
    auto from = row_traits<T>::tie(v);
    with_each<Fields...>(
        [&]<std::size_t... I>() { ((get<I>() = std::move(std::get<I>(from))), ...); });
    return *this;
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): fields assign themselves.
  constexpr soa_row& operator=(const soa_row& other)
    requires is_mutable
  {
    std::as_const(*this) = other;
    return *this;
  }
  constexpr const soa_row& operator=(const soa_row& other) const
    requires is_mutable
  {
    auto to = fields_;
    to = other.fields_;
    return *this;
  }

  /// Returns: the row by value.
  constexpr operator value_type() const {
    return std::apply([](auto&... f) { return row_traits<T>::made_of(f...); }, fields_);
  }
  constexpr operator soa_row<T, const Fields...>() const noexcept
    requires is_mutable
  {
    return std::apply([](auto&... f) { return soa_row<T, const Fields...>(f...); }, fields_);
  }
  /// Returns: the row by value, with its fields moved out of the columns.
  [[nodiscard]] constexpr value_type take() const {
    return std::apply([](auto&... f) { return row_traits<T>::made_of(std::move(f)...); }, fields_);
  }

  friend constexpr void swap(const soa_row& a, const soa_row& b)
    requires is_mutable
  {
    using std::swap;
    with_each<Fields...>(
        [&]<std::size_t... I>() { (swap(a.template get<I>(), b.template get<I>()), ...); });
  }
  /// For rows that have names: here std::swap would match better, and swap the references.
  friend constexpr void swap(soa_row& a, soa_row& b)
    requires is_mutable
  {
    swap(std::as_const(a), std::as_const(b));
  }
  friend constexpr bool operator==(const soa_row& a, const soa_row& b) {
    return a.fields_ == b.fields_;
  }

 private:
  std::tuple<Fields&...> fields_;
};

/**
 * Sparse columns: every slot of the window has a cell in each column, and dead slots hold valid
 * values, so that loops over a column need no test. A dead slot keeps its plain values; fields with
 * a destructor are default-constructed ones. The free list has a column of its own.
 */
template <class T, class Policy, class... Fields>
struct soa_layout {
  using index = typename Policy::index_type;
  using traits = row_traits<T>;
  using value_type = typename traits::value_type;
  using reference = soa_row<T, Fields...>;
  using const_reference = soa_row<T, const Fields...>;
  using pointer = std::optional<reference>;  // what get() returns
  using const_pointer = std::optional<const_reference>;
  template <std::size_t I>
  using field = std::tuple_element_t<I, std::tuple<Fields...>>;
  using block = slot_block<soa_layout>;

  static constexpr bool is_soa = true;
  static constexpr std::size_t value_columns = sizeof...(Fields);
  static constexpr std::size_t books_column = value_columns + std::size_t{Policy::reuses};
  static constexpr std::size_t generation_column = books_column;
  static constexpr auto shapes = [] {
    std::array<column_shape, books_column> all = {column_shape{sizeof(Fields), alignof(Fields)}...};
    if (Policy::reuses) all[books_column - 1] = {sizeof(index), alignof(index)};
    return with_books<Policy>(all);
  }();
  static constexpr std::size_t live_column = shapes.size() - 1;
  static constexpr std::size_t column_align = Policy::column_align;
  static constexpr bool is_plain_memory = (std::is_trivially_copyable_v<Fields> && ...);
  static constexpr bool leaves_trivially = (std::is_trivially_destructible_v<Fields> && ...);
  static constexpr bool ends_trivially = leaves_trivially;
  static constexpr bool is_quiet = is_plain_memory;

  static_assert((std::is_nothrow_move_constructible_v<Fields> && ...) &&
                    (std::is_nothrow_move_assignable_v<Fields> && ...),
                "fields are moved into their columns, which must not throw");
  static_assert(leaves_trivially || (std::is_nothrow_default_constructible_v<Fields> && ...),
                "a dead slot holds fields that are default-constructed");

  template <std::size_t I>
  static field<I>& get(const auto& slots, index i) noexcept {
    return *slots.template cell<field<I>>(I, i);
  }
  static reference row(const auto& slots, index i) noexcept {
    return with_each<Fields...>([&]<std::size_t... I>() { return reference(get<I>(slots, i)...); });
  }
  static const_reference const_row(const auto& slots, index i) noexcept { return row(slots, i); }
  static pointer pointer_to(reference row) noexcept { return row; }
  static const_pointer pointer_to(const_reference row) noexcept { return row; }

 private:
  static constexpr bool copies = (std::is_nothrow_copy_constructible_v<Fields> && ...) &&
                                 (std::is_nothrow_copy_assignable_v<Fields> && ...);
  template <class... Arguments>
  static constexpr bool is_row =
      std::is_same_v<std::tuple<std::remove_cvref_t<Arguments>...>, std::tuple<value_type>>;
  template <class Traits, class... Arguments>
  static constexpr bool has_parts =
      requires(const std::remove_cvref_t<Arguments>&... a) { Traits::tie_parts(a...); };
  /// A row of the pool's own, or one that the caller gives away.
  template <class... Arguments>
  static constexpr bool is_moved =
      !is_plain_memory && std::is_same_v<std::tuple<Arguments&&...>, std::tuple<value_type&&>>;

 public:
  /// A row that is not copied field by field is made before it gets its slot.
  template <class... Arguments>
  static constexpr bool is_made_first =
      !is_moved<Arguments...> &&
      !(copies && (is_row<Arguments...> || has_parts<traits, Arguments...>));

  /// Effects: constructs the row of slot `i` from a row, or from its parts.
  template <class... Arguments>
  static void construct(const auto& slots, index i, bool is_fresh,
                        Arguments&&... arguments) noexcept {
    const auto put = [&](auto from) {
      with_each<Fields...>([&]<std::size_t... I>() {
        (put_field<I>(slots, i, is_fresh, std::get<I>(std::move(from))), ...);
      });
    };
    if constexpr (is_moved<Arguments...>) {
      std::apply([&](auto&... f) { put(std::forward_as_tuple(std::move(f)...)); },
                 traits::tie(arguments...));
    } else if constexpr (is_row<Arguments...>) {
      put(traits::tie(std::as_const(arguments)...));
    } else {
      put(traits::tie_parts(arguments...));
    }
  }

  static void end(const auto& slots, index i) noexcept {
    with_each<Fields...>([&]<std::size_t... I>() { (reset(get<I>(slots, i)), ...); });
  }
  static void leave(const auto& slots, index i) noexcept {
    with_each<Fields...>([&]<std::size_t... I>() { (end_field(get<I>(slots, i)), ...); });
  }

  static index link(const auto& slots, index i) noexcept {
    return *slots.template cell<index>(value_columns, i);
  }
  static void set_link(const auto& slots, index i, index next) noexcept {
    *slots.template cell<index>(value_columns, i) = next;
  }

  static void relocate(const block& old, std::size_t from, block& target, std::size_t to,
                       std::size_t count) noexcept {
    with_each<Fields...>(
        [&]<std::size_t... I>() { (relocate_column<I>(old, from, target, to, count), ...); });
    if constexpr (Policy::reuses) {
      old.copy_column(value_columns, from, target, to, count);
      old.copy_column(live_column, from, target, to, count);
    }
  }

  /// Returns: the spans of column `I` from the first live slot to the last; a ring may have two.
  template <std::size_t I, class Field>
  static auto spans(const auto& books) noexcept {
    static_assert(!Policy::is_stable, "columns in pieces are not spans");
    std::array<column_view<Field>, 2> parts;
    if (books.size() != 0) {
      const index from = books.next_live(books.first);
      const std::size_t used = static_cast<index>(books.live_before(books.last) - from + 1);
      const std::size_t n = Policy::is_ring ? least(used, books.slots.run(from)) : used;
      parts[0] = {books.slots.template cell<field<I>>(I, from), n};
      if (used != n) parts[1] = {books.slots.template base<field<I>>(I, from), used - n};
    }
    if constexpr (Policy::is_ring)
      return parts;
    else
      return parts[0];
  }

 private:
  template <std::size_t I, class Value>
  static void put_field(const auto& slots, index i, bool is_fresh, Value&& v) noexcept {
    if (leaves_trivially || is_fresh)
      ::new (address(get<I>(slots, i))) field<I>(std::forward<Value>(v));
    else
      get<I>(slots, i) = std::forward<Value>(v);
  }

  static void* address(auto& field) noexcept { return address_of(field); }
  template <class Field>
  static void end_field(Field& field) noexcept {
    field.~Field();
  }
  static void reset(auto& field) noexcept {
    using type = std::remove_cvref_t<decltype(field)>;
    if constexpr (!std::is_trivially_destructible_v<type>) field = type();
  }

  template <std::size_t I>
  static void relocate_column(const block& old, std::size_t from, block& target, std::size_t to,
                              std::size_t count) noexcept {
    if constexpr (std::is_trivially_copyable_v<field<I>>) {
      old.copy_column(I, from, target, to, count);
    } else {
      field<I>* source = old.template column<field<I>>(I) + from;
      field<I>* result = target.template column<field<I>>(I) + to;
      for (std::size_t k = 0; k < count; ++k) {
        ::new (address(result[k])) field<I>(std::move(source[k]));
        end_field(source[k]);
      }
    }
  }
};

template <class T, class Policy, class Tie>
struct soa_layout_of;
template <class T, class Policy, class... Fields>
struct soa_layout_of<T, Policy, std::tuple<Fields&...>> {
  using type = soa_layout<T, Policy, Fields...>;
};
template <class T, class Policy>
  requires Policy::is_soa
struct layout_of<T, Policy>
    : soa_layout_of<T, Policy,
                    decltype(row_traits<T>::tie(
                        std::declval<typename row_traits<T>::value_type&>()))> {};

}  // namespace heapsmith::detail

template <class T, class... Fields>
struct std::tuple_size<heapsmith::detail::soa_row<T, Fields...>>
    : std::integral_constant<std::size_t, sizeof...(Fields)> {};
template <std::size_t I, class T, class... Fields>
struct std::tuple_element<I, heapsmith::detail::soa_row<T, Fields...>> {
  using type = std::tuple_element_t<I, std::tuple<Fields...>>&;
};

/// The algorithms of C++20 require that a row and a value have a common type: the value.
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
