// Which slots of a typed pool live: its window and its live bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/contiguous_slots.hpp"
#include "heapsmith/detail/pool/piece_slots.hpp"

namespace heapsmith::detail {

/**
 * The slots of a pool, and which of them have rows.
 *
 * Invariants, which broken_invariant() walks:
 * - window: all live slots are among those from `first` up to `last`, counted unsigned;
 * - live: as many live bits are set in the window as `live`, and none elsewhere.
 */
template <class Layout, class Policy>
class live_slots {
 public:
  using index = typename Policy::index_type;
  using slots_type = std::conditional_t<Policy::is_stable, piece_slots<Layout, Policy>,
                                        contiguous_slots<Layout, Policy>>;
  using layout_type = Layout;
  static constexpr bool reuses = Policy::reuses;

  explicit live_slots(const upstream<typename Policy::upstream_type>& from) noexcept
      : slots(from) {}
  live_slots(live_slots&& other) noexcept
      : slots(std::move(other.slots)),
        first(std::exchange(other.first, 0)),
        last(std::exchange(other.last, 0)),
        live(std::exchange(other.live, 0)) {}
  live_slots& operator=(live_slots&&) = delete;
  ~live_slots() = default;

  [[nodiscard]] std::size_t window() const noexcept { return static_cast<index>(last - first); }
  [[nodiscard]] bool is_inside(index i) const noexcept {
    return static_cast<index>(i - first) < static_cast<index>(last - first);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    if constexpr (reuses) return live;
    return window();
  }
  [[nodiscard]] bool is_live(index i) const noexcept {
    if (!is_inside(i)) return false;
    if constexpr (!reuses) return true;
    return word(i) >> bit(i) & 1;
  }

  /// Returns: the first live slot from `i` on, or `last`. Requires: `i` in the window, or its end.
  [[nodiscard]] index next_live(index i) const noexcept {
    if constexpr (!reuses) return i;
    if (i == last) return i;
    const std::uint64_t bits = word(i) >> bit(i);
    if (bits & 1) [[likely]]
      return i;
    const std::size_t more =
        bits != 0 ? static_cast<std::size_t>(std::countr_zero(bits)) : slots.next_live(i);
    // In a ring, the bits behind those of the window are those of its beginning.
    return more < static_cast<index>(last - i) ? static_cast<index>(i + more) : last;
  }

  /// Returns: the last live slot before `i`. Requires: one exists.
  [[nodiscard]] index live_before(index i) const noexcept {
    --i;
    if constexpr (reuses) {
      const std::uint64_t bits = word(i) << (63 - bit(i));
      if (bits != 0) return i - static_cast<index>(std::countl_zero(bits));
      return static_cast<index>(i - slots.previous_live(i));
    }
    return i;
  }

  void mark(index i) noexcept {
    if constexpr (!reuses) return;
    std::uint64_t& bits = word(i);
    if (bits == 0) [[unlikely]]
      slots.note_first_live(i);
    bits |= std::uint64_t{1} << bit(i);
    ++live;
  }

  slots_type slots;
  index first = 0;
  index last = 0;
  std::size_t live = 0;  // counted only when slots are reused

 protected:
  [[nodiscard]] std::uint64_t& word(index i) const noexcept {
    return slots.template base<std::uint64_t>(Layout::live_column, i)[slots.position(i) / 64];
  }
  [[nodiscard]] unsigned bit(index i) const noexcept { return slots.position(i) % 64; }
};

}  // namespace heapsmith::detail
