// Rows side by side: the layout of `pool`, where a slot is a T or, while it is free, a link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Returns: `values` followed by the columns that the pool keeps for itself.
template <class Policy, std::size_t N>
constexpr auto with_books(const std::array<column_shape, N>& values) {
  constexpr std::size_t books = std::size_t{Policy::has_handles} + std::size_t{Policy::reuses};
  std::array<column_shape, N + books> all = {};
  std::size_t c = 0;
  for (const column_shape& shape : values) all[c++] = shape;
  if (Policy::has_handles) all[c++] = {sizeof(std::uint32_t), alignof(std::uint32_t)};
  if (Policy::reuses) all[c++] = {sizeof(std::uint64_t), alignof(std::uint64_t), 64};
  return all;
}

/**
 * Only live slots hold an object. A dead slot of a pool with a free list holds the index of the
 * next one, and is poisoned for AddressSanitizer, like the slots that were never used.
 */
template <class T, class Policy>
struct rows_layout {
  using index = typename Policy::index_type;
  static constexpr std::size_t slot_align =
      Policy::reuses ? most(alignof(T), alignof(index)) : alignof(T);
  static constexpr std::size_t slot_bytes =
      rounded_up(Policy::reuses ? most(sizeof(T), sizeof(index)) : sizeof(T), slot_align);
  struct slot {
    alignas(slot_align) std::byte bytes[slot_bytes];
  };
  using block = slot_block<rows_layout>;

  static constexpr bool is_soa = false;
  static constexpr std::size_t value_columns = 1;
  static constexpr std::size_t books_column = 1;
  static constexpr auto shapes =
      with_books<Policy>(std::array{column_shape{slot_bytes, slot_align}});
  static constexpr std::size_t generation_column = 1;
  static constexpr std::size_t live_column = shapes.size() - 1;
  static constexpr std::size_t column_align = Policy::column_align;
  static constexpr bool is_plain_memory = std::is_trivially_copyable_v<T>;
  /// Whether no code of the user runs in a slot, if rows are made first where it would.
  static constexpr bool is_quiet = is_plain_memory && std::is_move_constructible_v<T>;
  /// A deque pool would pay for noticing such code. It makes small rows before they get their
  /// slots.
  template <class... Arguments>
  static constexpr bool is_made_first =
      !Policy::reuses && is_quiet && !std::is_trivially_constructible_v<T, Arguments...>;
  static constexpr bool ends_trivially = std::is_trivially_destructible_v<T>;
  static constexpr bool leaves_trivially = true;

  static_assert(Policy::is_stable || Policy::is_fixed || std::is_nothrow_move_constructible_v<T>,
                "rows that a growing block moves must not throw: use policy::stable");

  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;  // what get() returns
  using const_pointer = const T*;
  template <std::size_t>
  using field = T;

  static T& row(const auto& slots, index i) noexcept { return *value(slots, i); }
  static const T& const_row(const auto& slots, index i) noexcept { return *value(slots, i); }
  static T* pointer_to(T& row) noexcept { return address_of(row); }
  static const T* pointer_to(const T& row) noexcept { return address_of(row); }

  /// Effects: constructs the row of slot `i`. If that throws, the slot has neither row nor link.
  template <class... Arguments>
  static void construct(const auto& slots, index i, bool /*is_fresh*/, Arguments&&... arguments) {
    probe::given(slots.template cell<slot>(0, i), sizeof(T));
    make_at<T>(value(slots, i), std::forward<Arguments>(arguments)...);
  }
  /// Effects: ends the row of slot `i`. The slot may be used again.
  static void end(const auto& slots, index i) noexcept {
    value(slots, i)->~T();
    probe::taken(slots.template cell<slot>(0, i), sizeof(slot));
  }
  /// Effects: slot `i`, which is dead, leaves the window.
  static void leave(const auto&, index) noexcept {}

  static index link(const auto& slots, index i) noexcept {
    return link_in(slots.template cell<slot>(0, i));
  }
  static void set_link(const auto& slots, index i, index next) noexcept {
    set_link_in(slots.template cell<slot>(0, i), next);
  }

  /// Effects: moves `count` slots from position `from` to position `to` of another block.
  static void relocate(const block& old, std::size_t from, block& target, std::size_t to,
                       std::size_t count) noexcept {
    if constexpr (Policy::reuses) old.copy_column(live_column, from, target, to, count);
    slot* source = old.template column<slot>(0) + from;
    slot* result = target.template column<slot>(0) + to;
    if constexpr (is_plain_memory) {
      probe::leave_buffer(nullptr, source, count * sizeof(slot));
      probe::leave_buffer(nullptr, result, count * sizeof(slot));
      std::memcpy(result, source, count * sizeof(slot));
      if constexpr (Policy::reuses && probe::is_watched)
        for (std::size_t k = 0; k < count; ++k)
          if (!is_live(target, to + k)) probe::taken(result + k, sizeof(slot));
    } else {
      for (std::size_t k = 0; k < count; ++k)
        if (is_live(old, from + k)) {
          T* row = reinterpret_cast<T*>(source + k);
          probe::given(result + k, sizeof(T));
          ::new (static_cast<void*>(result + k)) T(std::move(*row));
          row->~T();
        } else {
          set_link_in(result + k, link_in(source + k));
        }
    }
  }

 private:
  static T* value(const auto& slots, index i) noexcept {
    return reinterpret_cast<T*>(slots.template cell<slot>(0, i));
  }
  static bool is_live(const block& b, std::size_t position) noexcept {
    if constexpr (!Policy::reuses) return true;
    return b.template column<std::uint64_t>(live_column)[position / 64] >> (position % 64) & 1;
  }

  static index link_in(slot* s) noexcept {
    index next;
    probe::leave_buffer(nullptr, s, sizeof(index));
    std::memcpy(&next, s, sizeof next);
    probe::taken(s, sizeof(slot));
    return next;
  }
  static void set_link_in(slot* s, index next) noexcept {
    probe::given(s, sizeof(index));
    std::memcpy(s, &next, sizeof next);
    probe::taken(s, sizeof(slot));
  }
};

/// The layout of a pool of `T`; columns.hpp has the one of pools in columns.
template <class T, class Policy>
struct layout_of {
  using type = rows_layout<T, Policy>;
};

}  // namespace heapsmith::detail
