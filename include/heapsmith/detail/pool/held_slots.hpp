// Dead slots of a fixed pool that wait for a row at one end of the window.
#pragma once

#include <cstddef>

namespace heapsmith::detail {

/// A stack of slots, through their links: the one that was held last is on top.
template <class Layout, class Index>
struct held_slots {
  Index top = 0;
  std::size_t count = 0;

  void hold(const auto& slots, Index i) noexcept {
    Layout::set_link(slots, i, top);
    top = i;
    ++count;
  }
  /// Returns: the slot on top, which is held no more. Requires: one is held.
  Index take(const auto& slots) noexcept {
    const Index i = top;
    if (--count != 0) top = Layout::link(slots, i);
    return i;
  }
};

}  // namespace heapsmith::detail
