// Rows side by side: the layout of `pool`, where a slot is a T or, while it is free, a link.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Returns: `values` and, behind them, the columns that the pool keeps for itself.
template <class Policy, std::size_t N>
constexpr auto with_books(const std::array<column_shape, N>& values) {
  constexpr std::size_t books = std::size_t{Policy::has_handles} + std::size_t{Policy::reuses};
  std::array<column_shape, N + books> all = {};
  std::copy(values.begin(), values.end(), all.begin());
  std::size_t c = N;
  if (Policy::has_handles) all[c++] = {sizeof(std::uint32_t), alignof(std::uint32_t)};
  if (Policy::reuses) all[c++] = {sizeof(std::uint64_t), alignof(std::uint64_t), 64};
  return all;
}

/**
 * Only live slots hold an object. A dead slot of a pool with a free list holds the index of the
 * next one, and is poisoned for AddressSanitizer, like the slots that were never used.
 */
template <class T, class Policy>
struct aos_layout {
  using index = typename Policy::index_type;
  static constexpr std::size_t slot_align =
      Policy::reuses ? std::max(alignof(T), alignof(index)) : alignof(T);
  static constexpr std::size_t slot_bytes =
      rounded_up(Policy::reuses ? std::max(sizeof(T), sizeof(index)) : sizeof(T), slot_align);
  struct slot {
    alignas(slot_align) std::byte bytes[slot_bytes];
  };
  static_assert(sizeof(slot) == slot_bytes);

  static constexpr bool is_soa = false;
  static constexpr std::size_t value_columns = 1;
  static constexpr std::size_t books_column = 1;
  static constexpr auto shapes =
      with_books<Policy>(std::array{column_shape{slot_bytes, slot_align}});
  static constexpr std::size_t generation_column = 1;
  static constexpr std::size_t live_column = shapes.size() - 1;
  static constexpr std::size_t column_align = Policy::column_align;
  static constexpr bool is_plain_memory = std::is_trivially_copyable_v<T>;
  static constexpr bool ends_trivially = std::is_trivially_destructible_v<T>;
  static constexpr bool leaves_trivially = true;
  static constexpr bool keeps_dead_values = false;

  static_assert(Policy::is_stable || Policy::is_fixed || std::is_nothrow_move_constructible_v<T>,
                "rows that a growing block moves must not throw: use policy::stable");

  using value_type = T;
  using reference = T&;
  using const_reference = const T&;

  template <class Slots>
  static T& row(const Slots& slots, index i) noexcept {
    return *value(slots, i);
  }
  template <class Slots>
  static const T& const_row(const Slots& slots, index i) noexcept {
    return *value(slots, i);
  }
  template <class Slots>
  static T* value(const Slots& slots, index i) noexcept {
    return reinterpret_cast<T*>(slots.template cell<slot>(0, i));
  }

  /// Effects: constructs the row of slot `i`. If that throws, the slot has none and no link either.
  template <class Slots, class... Arguments>
  static void construct(const Slots& slots, index i, bool /*is_fresh*/, Arguments&&... arguments) {
    probe::given(slots.template cell<slot>(0, i), sizeof(T));
    std::construct_at(value(slots, i), std::forward<Arguments>(arguments)...);
  }

  /// The row of slot `i` ends; the slot may be used again.
  template <class Slots>
  static void end(const Slots& slots, index i) noexcept {
    std::destroy_at(value(slots, i));
    probe::taken(slots.template cell<slot>(0, i), sizeof(slot));
  }

  /// Slot `i` enters or leaves the window without a row.
  template <class Slots>
  static void enter(const Slots&, index) noexcept {}
  template <class Slots>
  static void leave(const Slots&, index) noexcept {}

  template <class Slots>
  static index link(const Slots& slots, index i) noexcept {
    slot* s = slots.template cell<slot>(0, i);
    return link_in(s);
  }

  template <class Slots>
  static void set_link(const Slots& slots, index i, index next) noexcept {
    slot* s = slots.template cell<slot>(0, i);
    probe::given(s, sizeof(index));
    std::memcpy(s, &next, sizeof next);
    probe::taken(s, sizeof(slot));
  }

  static void opened(const slot_block<aos_layout>& block) noexcept {
    probe::enter_buffer(nullptr, block.template column<slot>(0), block.capacity() * sizeof(slot));
  }
  static void closed(const slot_block<aos_layout>& block) noexcept {
    probe::leave_buffer(nullptr, block.template column<slot>(0), block.capacity() * sizeof(slot));
  }

  /// Effects: `count` slots from place `from` on become those from `to` on of another block, and
  /// what lived in the former lives in the latter.
  static void relocate(const slot_block<aos_layout>& block, std::size_t from,
                       slot_block<aos_layout>& target, std::size_t to, std::size_t count) noexcept {
    if constexpr (Policy::reuses) block.copy_column(live_column, from, target, to, count);
    slot* source = block.template column<slot>(0) + from;
    slot* result = target.template column<slot>(0) + to;
    if constexpr (is_plain_memory) {
      probe::leave_buffer(nullptr, source, count * sizeof(slot));
      probe::leave_buffer(nullptr, result, count * sizeof(slot));
      std::memcpy(result, source, count * sizeof(slot));
      if constexpr (Policy::reuses && probe::is_watched)
        for (std::size_t k = 0; k < count; ++k)
          if (!is_live(target, to + k)) probe::taken(result + k, sizeof(slot));
    } else {
      for (std::size_t k = 0; k < count; ++k) relocate_one(block, from + k, source + k, result + k);
    }
  }

 private:
  static bool is_live(const slot_block<aos_layout>& block, std::size_t place) noexcept {
    if constexpr (!Policy::reuses) return true;
    return block.template column<std::uint64_t>(live_column)[place / 64] >> (place % 64) & 1;
  }

  static index link_in(slot* s) noexcept {
    index next;
    probe::leave_buffer(nullptr, s, sizeof(index));
    std::memcpy(&next, s, sizeof next);
    probe::taken(s, sizeof(slot));
    return next;
  }

  static void relocate_one(const slot_block<aos_layout>& block, std::size_t place, slot* source,
                           slot* result) noexcept {
    if (is_live(block, place)) {
      T* row = reinterpret_cast<T*>(source);
      probe::given(result, sizeof(T));
      std::construct_at(reinterpret_cast<T*>(result), std::move(*row));
      std::destroy_at(row);
    } else {
      const index next = link_in(source);
      probe::given(result, sizeof(index));
      std::memcpy(result, &next, sizeof next);
      probe::taken(result, sizeof(slot));
    }
  }
};

}  // namespace heapsmith::detail
