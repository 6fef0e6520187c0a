// Checks the books of a typed pool.
#pragma once

#include <cstddef>

namespace heapsmith::detail {

/// Returns: 0, or the number of the invariant that does not hold: window, live, list.
template <class Books>
[[nodiscard]] int broken_invariant(const Books& b) noexcept {
  using index = typename Books::index;
  if (b.window() > b.slots.capacity()) return 1;
  if constexpr (!Books::reuses) return 0;
  if (!b.slots.has_sound_bits()) return 2;
  std::size_t count = 0;
  for (index i = b.next_live(b.first); i != b.last; i = b.next_live(static_cast<index>(i + 1)))
    ++count;
  if (count != b.live) return 2;
  index i = b.head;
  for (std::size_t k = 0; k < b.listed; ++k) {
    if (b.is_live(i) || !b.is_inside(i)) return 3;
    i = Books::layout_type::link(b.slots, i);
  }
  for (const auto* held : {&b.held_front, &b.held_back}) {
    i = held->top;
    for (std::size_t k = 0; k < held->count; ++k) {
      if (b.is_live(i) || !b.is_inside(i)) return 3;
      if (k + 1 != held->count) i = Books::layout_type::link(b.slots, i);
    }
  }
  const std::size_t dead = b.window() - b.live;
  const std::size_t waiting = b.listed + b.held_front.count + b.held_back.count;
  return waiting + b.retired == dead ? 0 : 3;
}

}  // namespace heapsmith::detail
