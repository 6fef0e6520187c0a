// How rows of a typed pool end, and how their slots leave the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/dead_slots.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Where a row is added: anywhere, or beyond one end of the window.
enum class spot : std::uint8_t { any, back, front };

/**
 * Ends rows, and takes dead slots out of the window.
 *
 * A row that ends at an end of the window leaves the window with the dead slots behind it. Those
 * are in the list, which is walked to take them out: once they are a share of it, so that each slot
 * that leaves pays for a few links. Until then they stay.
 *
 * In a fixed pool they stay for good, as no growth pays for a walk. The slot of the row that ended
 * is held for the next row that is added at this end.
 */
template <class Layout, class Policy>
class row_ends : public dead_slots<Layout, Policy> {
  using base = dead_slots<Layout, Policy>;

 public:
  using index = typename base::index;
  using base::first;
  using base::forget_dead;
  using base::held_back;
  using base::held_front;
  using base::idle;
  using base::is_busy;
  using base::is_leaving;
  using base::last;
  using base::list;
  using base::list_window;
  using base::listed;
  using base::live;
  using base::live_before;
  using base::next_live;
  using base::retired;
  using base::reuses;
  using base::slots;
  using base::window;
  using typename base::busy_mark;
  using typename base::end_slots;
  using typename base::moving;
  using typename base::slots_type;
  static constexpr bool has_handles = Policy::has_handles;
  static constexpr bool holds = Policy::is_fixed && reuses && !has_handles;
  static constexpr std::uint32_t generations = 1u << 20;

  explicit row_ends(const upstream<typename Policy::upstream_type>& from) noexcept : base(from) {}
  row_ends(row_ends&& other) noexcept : base(std::move(other)) {}
  row_ends& operator=(row_ends&&) = delete;
  ~row_ends() = default;

  /// Effects: the dead slots at both ends leave the window, if they are at least `least`.
  void trim(std::size_t least) noexcept {
    if constexpr (reuses && !has_handles) {
      const index begin = Policy::is_one_ended ? first : next_live(first);
      const index end = live == 0 ? begin : static_cast<index>(live_before(last) + 1);
      if (window() - static_cast<index>(end - begin) < least || is_busy()) return;
      const index old_first = std::exchange(first, begin), old_last = std::exchange(last, end);
      leave(old_first, begin);
      leave(end, old_last);
      list_window();
      if constexpr (Policy::is_ring) slots.follow(first);
    }
  }

  /// Effects: slot `i`, whose row ended at one end of the window, stays in the window.
  void stay(index i, end_slots& held) noexcept {
    if constexpr (holds)
      held.hold(slots, i);
    else
      list(i);
  }
  void end_row(index i) noexcept {
    require_settled();
    end_value(i);
    if (advance_generation(i)) list(i);
  }

  /// Effects: ends the row at one end of the window. Requires: one exists.
  void end_last() noexcept {
    const index i = live_before(last);
    if constexpr (has_handles) return end_row(i);
    require_settled();
    end_value(i);
    if constexpr (!reuses && !Layout::ends_trivially)
      if (static_cast<index>(last - 1) != i) [[unlikely]]
        refuse_neighbour();
    if (!may_leave<spot::back>(i, static_cast<index>(last - i))) return stay(i, held_back);
    leave(i, last);
    const bool others_leave = static_cast<index>(last - i) != 1;
    last = i;
    settle(first, others_leave);
  }
  void end_first() noexcept {
    const index i = next_live(first);
    if constexpr (has_handles) return end_row(i);
    require_settled();
    end_value(i);
    if constexpr (!reuses && !Layout::ends_trivially)
      if (first != i) [[unlikely]]
        refuse_neighbour();
    const auto next = static_cast<index>(i + 1);
    if (!may_leave<spot::front>(i, static_cast<index>(next - first))) return stay(i, held_front);
    leave(first, next);
    const bool others_leave = static_cast<index>(next - first) != 1;
    first = next;
    settle(last, others_leave);
    if constexpr (Policy::is_ring) {
      slots.follow(first);
    } else if (window() == 0) {
      slots.number_from(first);  // a queue that runs empty has all of its block before it again
    }
  }

  /// Effects: ends all rows, and those that destructors add meanwhile.
  void end_rows() noexcept {
    require_settled();
    if constexpr (!reuses && Layout::ends_trivially && !probe::is_watched) return;
    if constexpr (reuses) {
      while (live != 0)
        for (index i = next_live(first); i != last; i = next_live(static_cast<index>(i + 1)))
          end_value(i);
      leave(first, last);
    } else {
      const busy_mark mark(*this);
      for (; first != last; ++first) {
        const index i = first;
        Layout::end(slots, i);
        Layout::leave(slots, i);
        if (first != i) [[unlikely]]
          refuse_neighbour();
        if constexpr (Policy::is_ring) slots.follow(static_cast<index>(i + 1));
      }
    }
  }

  void clear() noexcept {
    idle("cleared");
    if constexpr (has_handles) {
      // All slots are listed, the first one on top: an empty window would make the block grow.
      while (live != 0) end_row(live_before(last));
    } else {
      end_rows();
      forget_dead();
      first = last = slots.origin();
    }
  }

  /// Effects: gives back memory that no slot of the window needs, if no row is being made.
  [[gnu::noinline]] void shrink(bool to_fit) noexcept {
    if constexpr (base::is_watchful)
      if (is_busy()) return;
    if constexpr (slots_type::moves_rows && !Layout::is_plain_memory) {
      const moving rows(*this);
      slots.shrink(rows.first, rows.last, to_fit);
    } else {
      slots.shrink(first, last, to_fit);
    }
  }

  [[nodiscard]] std::uint32_t& generation(index i) const noexcept {
    return *slots.template cell<std::uint32_t>(Layout::generation_column, i);
  }

  /// Effects: makes the handles of slot `i` stale. Returns: whether the slot may be used again.
  [[nodiscard]] bool advance_generation(index i) noexcept {
    if constexpr (has_handles) {
      std::uint32_t& g = generation(i);
      if (++g < generations) return true;
      if constexpr (!Policy::is_fixed) {
        ++retired;
        return false;
      }
      g = 0;
    }
    return true;
  }

  [[nodiscard]] bool is_retired(index i) const noexcept {
    return has_handles && generation(i) >= generations;
  }

 protected:
  using base::bit;
  using base::word;

  template <spot At>
  [[nodiscard]] bool has_row_behind(index i) const noexcept {
    const index row = At == spot::front ? next_live(first) : live_before(last);
    return (static_cast<index>(row - first) > static_cast<index>(i - first)) == (At == spot::back);
  }

  /// Effects: ends the row of slot `i`, which stays in the window. Its slot is dead, and cannot get
  /// another row, before its destructor runs.
  void end_value(index i) noexcept {
    if constexpr (reuses) {
      std::uint64_t& bits = word(i);
      bits &= ~(std::uint64_t{1} << bit(i));
      if (bits == 0) [[unlikely]]
        slots.note_last_live(i);
      --live;
      Layout::end(slots, i);
    } else if constexpr (Layout::ends_trivially) {
      Layout::end(slots, i);
    } else {
      const busy_mark mark(*this);
      Layout::end(slots, i);
    }
  }

  /// Effects: slots that are outside the window have no values any more.
  void leave(index from, index to) noexcept {
    if constexpr (!Layout::leaves_trivially) {
      is_leaving = true;
      for (index i = from; i != to; ++i) Layout::leave(slots, i);
      is_leaving = false;
    }
  }
  /// Aborts if a destructor of a dead value uses the pool, whose books do not agree at that time.
  void require_settled() const noexcept {
    if constexpr (!Layout::leaves_trivially)
      if (is_leaving) [[unlikely]]
        fatal("%s", "pool: a destructor of an erased row's fields used the pool");
  }

  /// Returns: whether `n` slots at one end may leave the window, of which slot `i` is the last one,
  /// whose row has just ended. The others are in the list. The walk over it visits at most
  /// `list_share` links for each.
  template <spot At>
  [[nodiscard]] bool may_leave(index i, std::size_t n) const noexcept {
    return !reuses || n == 1 || may_leave_slow<At>(i, n);
  }
  template <spot At>
  [[nodiscard, gnu::noinline]] bool may_leave_slow(index i, std::size_t n) const noexcept {
    if (live != 0 && (holds || n * list_share < listed)) return false;
    // The destructor may have added rows behind it.
    return !is_busy(1) && (live == 0 || !has_row_behind<At>(i));
  }
  static constexpr std::size_t list_share = 4;

  /// After a row at one end has left. `other` is where an empty window shall be.
  void settle(index other, bool others_left) noexcept {
    if (reuses && live == 0) {
      if (others_left || first != last) empty_window(other, others_left);
    } else if (others_left) {
      list_window();
    }
    if constexpr (!Policy::is_fixed)
      if (slots.is_loose(first, last)) [[unlikely]]
        shrink(false);
  }

  /// Without others, the dead slots that are left may be those of rows that are being made.
  [[gnu::noinline]] void empty_window(index other, bool others_left) noexcept {
    if (!others_left && is_busy()) return;
    leave(first, last);
    first = last = other;
    forget_dead();
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_neighbour() const noexcept {
    fatal("%s", "pool: the destructor of a row at one end added or ended a row at that end");
  }
};

}  // namespace heapsmith::detail
