// The books of a typed pool: its window, its free list, which slots live, their generations.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/slot_contiguous.hpp"
#include "heapsmith/detail/pool/slot_pieces.hpp"

namespace heapsmith::detail {

/// Returns: 1 to 4095, and then from 1 again.
inline std::uint32_t next_pool_id() noexcept {
  static std::atomic<std::uint32_t> count{0};
  return count.fetch_add(1, std::memory_order_relaxed) % 4095 + 1;  // pairs with nothing: a ticket
}

/**
 * Invariants, which check() walks:
 * - window: all live slots are among those from `first` up to `last`, counted unsigned;
 * - live: as many live bits are set in the window as `live`, and none elsewhere;
 * - list: `listed` links lead from `head` over dead slots, none twice. Links may lead over slots
 *   that the window has left. They are dropped when their turn comes, and as the window grows only
 *   when the list is empty, none of them can come to lie in it again.
 */
template <class Layout, class Policy>
class slot_books {
 public:
  using index = typename Policy::index_type;
  using slots_type =
      std::conditional_t<Policy::is_stable && !Policy::is_fixed, piece_slots<Layout, Policy>,
                         contiguous_slots<Layout, Policy>>;
  using layout_type = Layout;
  static constexpr bool reuses = Policy::reuses;
  static constexpr bool has_handles = Policy::has_handles;
  static constexpr std::uint32_t generations = 1u << 20;

  explicit slot_books(const upstream<typename Policy::upstream_type>& from) noexcept
      : slots(from) {}
  slot_books(slot_books&& other) noexcept
      : slots(std::move(other.slots)),
        first(std::exchange(other.first, 0)),
        last(std::exchange(other.last, 0)),
        head(other.head),
        listed(std::exchange(other.listed, 0)),
        live(std::exchange(other.live, 0)),
        id(other.id) {
    if constexpr (has_handles) other.id = next_pool_id();  // its handles have moved away
  }
  slot_books& operator=(slot_books&&) = delete;
  ~slot_books() = default;

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
    while (i != last) {
      const std::uint64_t bits = word(i) >> bit(i);
      if (bits & 1) [[likely]]
        return i;
      // In a ring, the bits behind those of the window are those of its beginning.
      const std::size_t left = static_cast<index>(last - i);
      const std::size_t run = std::min({std::size_t{64 - bit(i)}, slots.run(i), left});
      if (bits != 0 && static_cast<std::size_t>(std::countr_zero(bits)) < run)
        return static_cast<index>(i + std::countr_zero(bits));
      i = static_cast<index>(i + run);
    }
    return last;
  }

  /// Returns: the last live slot before `i`. Requires: there is one.
  [[nodiscard]] index live_before(index i) const noexcept {
    --i;
    if constexpr (reuses) {
      while (true) {
        const std::uint64_t bits = word(i) << (63 - bit(i));
        if (bits != 0) return static_cast<index>(i - std::countl_zero(bits));
        i = static_cast<index>(i - bit(i) - 1);
      }
    }
    return i;
  }

  void mark(index i) noexcept {
    if constexpr (reuses) {
      word(i) |= std::uint64_t{1} << bit(i);
      ++live;
    }
  }
  void unmark(index i) noexcept {
    if constexpr (reuses) {
      word(i) &= ~(std::uint64_t{1} << bit(i));
      --live;
    }
  }

  /// Effects: takes the slot that was listed last, if there is one.
  [[nodiscard]] bool take_listed(index& i) noexcept {
    if constexpr (reuses) {
      while (listed != 0) {
        i = head;
        head = Layout::link(slots, i);
        --listed;
        if (is_inside(i)) [[likely]]
          return true;
      }
    }
    return false;
  }

  void list(index i) noexcept {
    if constexpr (reuses) {
      Layout::set_link(slots, i, head);
      head = i;
      ++listed;
    }
  }

  /// Effects: drops the links to slots outside the window, before these may lose their memory.
  void drop_strays() noexcept {
    if constexpr (reuses) {
      index kept_last = 0;
      std::size_t kept = 0;
      for (index i = head; listed != 0; --listed) {
        const index next = Layout::link(slots, i);
        if (is_inside(i)) {
          if (kept == 0)
            head = i;
          else
            Layout::set_link(slots, kept_last, i);
          kept_last = i;
          ++kept;
        }
        i = next;
      }
      listed = kept;
    }
  }

  [[nodiscard]] std::uint32_t& generation(index i) const noexcept {
    return *slots.template cell<std::uint32_t>(Layout::generation_column, i);
  }

  /// Effects: handles of slot `i` are stale from now on. Returns: whether it may be used again.
  [[nodiscard]] bool advance_generation(index i) noexcept {
    if constexpr (has_handles) {
      std::uint32_t& g = generation(i);
      if (++g < generations) return true;
      if constexpr (!Policy::is_fixed) return false;
      g = 0;
    }
    return true;
  }

  [[nodiscard]] bool is_retired(index i) const noexcept {
    if constexpr (has_handles) return generation(i) >= generations;
    return false;
  }

  /// Returns: 0, or the number of the invariant that does not hold: window, live, list.
  [[nodiscard]] int check() const noexcept {
    if (window() > slots.capacity()) return 1;
    if constexpr (!reuses) return 0;
    std::size_t count = 0;
    for (index i = next_live(first); i != last; i = next_live(static_cast<index>(i + 1))) ++count;
    if (count != live) return 2;
    index i = head;
    std::size_t inside = 0;
    for (std::size_t k = 0; k < listed; ++k) {
      if (is_live(i)) return 3;
      inside += is_inside(i);
      i = Layout::link(slots, i);
    }
    return inside + live <= window() ? 0 : 3;
  }

  slots_type slots;
  index first = 0;
  index last = 0;
  index head = 0;          // of the free list, if any slot is listed
  std::size_t listed = 0;  // slots in the free list
  std::size_t live = 0;    // counted only when slots are reused
  std::uint32_t id = has_handles ? next_pool_id() : 0;

 private:
  [[nodiscard]] std::uint64_t& word(index i) const noexcept {
    return slots.template base<std::uint64_t>(Layout::live_column, i)[slots.place(i) / 64];
  }
  [[nodiscard]] unsigned bit(index i) const noexcept { return slots.place(i) % 64; }
};

}  // namespace heapsmith::detail
