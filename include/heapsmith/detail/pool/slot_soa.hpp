// Fields in columns: the layout of `soa_pool`, where each field of all rows lies side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/slot_aos.hpp"
#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/pool/soa_rows.hpp"

namespace heapsmith::detail {

/**
 * Every slot of the window holds valid fields, live or dead, so that columns can be read from end
 * to end: a dead slot keeps its plain values, while fields with a destructor become those of a
 * default-constructed one. Links of the free list have a column of their own.
 */
template <class T, class Policy, class... Fields>
struct soa_layout {
  using index = typename Policy::index_type;
  using traits = row_traits<T>;
  using value_type = typename traits::value_type;
  using reference = soa_row<T, Fields...>;
  using const_reference = soa_row<T, const Fields...>;
  template <std::size_t I>
  using field = std::tuple_element_t<I, std::tuple<Fields...>>;

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
  static constexpr bool keeps_dead_values = true;

  static_assert((std::is_nothrow_move_constructible_v<Fields> && ...) &&
                    (std::is_nothrow_move_assignable_v<Fields> && ...),
                "fields are moved into their columns, which must not throw");
  static_assert(leaves_trivially || (std::is_nothrow_default_constructible_v<Fields> && ...),
                "a dead slot holds fields that are default-constructed");

  template <std::size_t I, class Slots>
  static field<I>& get(const Slots& slots, index i) noexcept {
    return *slots.template cell<field<I>>(I, i);
  }

  template <class Slots>
  static reference row(const Slots& slots, index i) noexcept {
    return with_each([&]<std::size_t... I>() { return reference(get<I>(slots, i)...); });
  }
  template <class Slots>
  static const_reference const_row(const Slots& slots, index i) noexcept {
    return with_each([&]<std::size_t... I>() { return const_reference(get<I>(slots, i)...); });
  }
  static value_type taken_out(reference row) noexcept { return row.take(); }
  static value_type taken_out(const_reference row) { return row; }
  static void swapped(reference a, reference b) noexcept { swap(a, b); }

  /// Effects: the row of slot `i` is made from the arguments, a row or what a row is made from. If
  /// that throws, the slot is as it was.
  template <class Slots, class... Arguments>
  static void construct(const Slots& slots, index i, bool is_fresh, Arguments&&... arguments) {
    constexpr bool copies = (std::is_nothrow_copy_constructible_v<Fields> && ...) &&
                            (std::is_nothrow_copy_assignable_v<Fields> && ...);
    if constexpr (copies && is_row<Arguments...>) {
      put(slots, i, is_fresh, traits::tie(std::as_const(arguments)...));
    } else if constexpr (copies && requires { traits::tie_parts(arguments...); }) {
      put(slots, i, is_fresh, traits::tie_parts(arguments...));
    } else {
      value_type row(std::forward<Arguments>(arguments)...);
      with_each([&]<std::size_t... I>() {
        auto from = traits::tie(row);
        (put_field<I>(slots, i, is_fresh, std::move(std::get<I>(from))), ...);
      });
    }
  }

  template <class Slots>
  static void end(const Slots& slots, index i) noexcept {
    with_each([&]<std::size_t... I>() { (reset(get<I>(slots, i)), ...); });
  }
  template <class Slots>
  static void enter(const Slots& slots, index i) noexcept {
    with_each([&]<std::size_t... I>() { (std::construct_at(&get<I>(slots, i)), ...); });
  }
  template <class Slots>
  static void leave(const Slots& slots, index i) noexcept {
    with_each([&]<std::size_t... I>() { (std::destroy_at(&get<I>(slots, i)), ...); });
  }

  template <class Slots>
  static index link(const Slots& slots, index i) noexcept {
    return *slots.template cell<index>(value_columns, i);
  }
  template <class Slots>
  static void set_link(const Slots& slots, index i, index next) noexcept {
    *slots.template cell<index>(value_columns, i) = next;
  }

  static void opened(const slot_block<soa_layout>&) noexcept {}
  static void closed(const slot_block<soa_layout>&) noexcept {}

  static void relocate(const slot_block<soa_layout>& block, std::size_t from,
                       slot_block<soa_layout>& target, std::size_t to, std::size_t count) noexcept {
    with_each(
        [&]<std::size_t... I>() { (relocate_column<I>(block, from, target, to, count), ...); });
    if constexpr (Policy::reuses) {
      block.copy_column(value_columns, from, target, to, count);
      block.copy_column(live_column, from, target, to, count);
    }
  }

 private:
  template <class... Arguments>
  static constexpr bool is_row =
      std::is_same_v<std::tuple<std::remove_cvref_t<Arguments>...>, std::tuple<value_type>>;

  template <class F>
  static constexpr decltype(auto) with_each(F f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
      return f.template operator()<I...>();
    }(std::index_sequence_for<Fields...>());
  }

  template <class Slots, class Tie>
  static void put(const Slots& slots, index i, bool is_fresh, const Tie& from) noexcept {
    with_each(
        [&]<std::size_t... I>() { (put_field<I>(slots, i, is_fresh, std::get<I>(from)), ...); });
  }
  template <std::size_t I, class Slots, class Value>
  static void put_field(const Slots& slots, index i, bool is_fresh, Value&& v) noexcept {
    if (leaves_trivially || is_fresh)
      std::construct_at(&get<I>(slots, i), std::forward<Value>(v));
    else
      get<I>(slots, i) = std::forward<Value>(v);
  }

  template <class Field>
  static void reset(Field& f) noexcept {
    if constexpr (!std::is_trivially_destructible_v<Field>) f = Field();
  }

  template <std::size_t I>
  static void relocate_column(const slot_block<soa_layout>& block, std::size_t from,
                              slot_block<soa_layout>& target, std::size_t to,
                              std::size_t count) noexcept {
    if constexpr (std::is_trivially_copyable_v<field<I>>) {
      block.copy_column(I, from, target, to, count);
    } else {
      field<I>* source = block.template column<field<I>>(I) + from;
      std::uninitialized_move_n(source, count, target.template column<field<I>>(I) + to);
      std::destroy_n(source, count);
    }
  }
};

template <class T, class Policy>
struct soa_layout_of {
  template <class... Fields>
  using with = soa_layout<T, Policy, Fields...>;
  using type = typename fields_of<T>::template into<with>;
};

}  // namespace heapsmith::detail
