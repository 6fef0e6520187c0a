// The books of a typed pool: how rows begin and end, and their generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/dead_slots.hpp"
#include "heapsmith/detail/pool/id.hpp"

namespace heapsmith::detail {

/// Where a row is added: anywhere, or beyond one end of the window.
enum class spot : std::uint8_t { any, back, front };

/**
 * Begins and ends rows, and keeps account of their slots.
 *
 * A row that ends at an end of the window leaves the window with the dead slots behind it. Those
 * are in the list, which is walked to take them out: once they are a share of it, so that each slot
 * that leaves pays for a few links. Until then they stay.
 *
 * In a fixed pool they stay for good, as no growth pays for a walk. The slot of the row that ended
 * is held for the next row that is added at this end.
 */
template <class Layout, class Policy>
class slot_books : public dead_slots<Layout, Policy> {
  using base = dead_slots<Layout, Policy>;

 public:
  using index = typename base::index;
  using base::first;
  using base::forget_dead;
  using base::head;
  using base::held_back;
  using base::held_front;
  using base::idle;
  using base::is_busy;
  using base::is_live;
  using base::last;
  using base::list;
  using base::list_window;
  using base::listed;
  using base::live;
  using base::live_before;
  using base::mark;
  using base::next_live;
  using base::retired;
  using base::reuses;
  using base::size;
  using base::slots;
  using base::window;
  static constexpr bool has_handles = Policy::has_handles;
  static constexpr std::uint32_t generations = 1u << 20;

  explicit slot_books(const upstream<typename Policy::upstream_type>& from) noexcept : base(from) {}
  slot_books(slot_books&& other) noexcept : base(std::move(other)), id(other.id) {
    if constexpr (has_handles) other.id = next_pool_id();  // its handles have moved away
  }
  slot_books& operator=(slot_books&&) = delete;
  ~slot_books() = default;

  using typename base::busy_mark;
  using typename base::end_slots;
  using typename base::moving;
  using typename base::slots_type;
  static constexpr bool holds = Policy::is_fixed && reuses && !has_handles;

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

  /// Effects: constructs a row in the slot listed last, if `At` allows that, or beyond one end.
  /// Returns: false, with nothing changed, if no room can be made.
  template <spot At, class... Arguments>
  [[gnu::always_inline]] inline bool place(index& i, Arguments&&... arguments) {
    require_settled();
    if constexpr (Layout::template is_made_first<Arguments...>) {
      if (!slots_type::moves_rows && !is_ready<At>() && !make_ready<At>()) return false;
      auto row = made<typename Layout::value_type>(std::forward<Arguments>(arguments)...);
      if (!is_ready<At>()) [[unlikely]]
        return place_slow<At>(i, std::move(row));
      fill<At>(i, std::move(row));
    } else {
      if (!is_ready<At>()) [[unlikely]] {
        if constexpr (slots_type::moves_rows) {
          auto row = made<typename Layout::value_type>(std::forward<Arguments>(arguments)...);
          return place_slow<At>(i, std::move(row));
        } else if (!make_ready<At>()) {
          return false;
        }
      }
      fill<At>(i, std::forward<Arguments>(arguments)...);
    }
    return true;
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

  /// Returns: the handle of the row in slot `i`.
  template <class Handle>
  [[nodiscard]] Handle handle_of(index i) const noexcept {
    return Handle(i, generation(i), id);
  }
  [[nodiscard]] bool is_live(const auto& handle) const noexcept {
    const auto i = static_cast<index>(handle.index());
    return handle.pool_id() == id && i == handle.index() && is_live(i) &&
           generation(i) == handle.generation();
  }
  /// Aborts if the row is not live. Returns: its index.
  index require(index i) const noexcept {
    if (!is_live(i)) [[unlikely]]
      fatal("pool: slot %lld is not live: it was erased, or never held a row",
            static_cast<long long>(i));
    return i;
  }
  index require(const auto& handle) const noexcept {
    if (!is_live(handle)) [[unlikely]]
      refuse(handle);
    return static_cast<index>(handle.index());
  }

  void require_rows(const char* operation) const noexcept {
    // The rows that a deque pool is busy with make `live` the largest of numbers.
    constexpr bool counts_busy = !reuses && base::is_watchful;
    if (counts_busy ? size() <= live : size() == 0) [[unlikely]]
      refuse_pop(operation);
  }

  [[nodiscard]] bool is_retired(index i) const noexcept {
    return has_handles && generation(i) >= generations;
  }

  std::uint32_t id = has_handles ? next_pool_id() : 0;
  bool is_leaving_ = false;

 private:
  using base::bit;
  using base::word;

  /// Where the slot of a new row comes from.
  enum class origin : std::uint8_t { listed, held, fresh, none };

  /// Puts a slot back where it was, if the constructor of its row throws.
  template <spot At>
  struct give_back {
    slot_books& books;
    index i;
    origin from;
    ~give_back() {
      if (from == origin::listed) books.list(i);
      if (from == origin::held) books.stay(i, books.held_at<At>());
      if (from == origin::fresh && base::is_watchful) books.withdraw<At>(i);
    }
  };

  /// Effects: slot `i`, whose row was not made, leaves the end of the window.
  template <spot At>
  [[gnu::cold, gnu::noinline]] void withdraw(index i) noexcept {
    if (At == spot::front ? first == i : static_cast<index>(last - 1) == i) {
      At == spot::front ? ++first : --last;
    } else {
      // The constructor has added rows beyond it.
      if constexpr (!reuses)
        fatal("%s", "pool: the constructor of a row added rows behind it, and threw an exception");
      list(i);
    }
  }

  /// Returns: whether fill() has a slot.
  template <spot At>
  [[nodiscard]] bool is_ready() const noexcept {
    if (reuses && At == spot::any && listed != 0) return true;
    if (At != spot::any && has_held<At>()) return false;  // find_held() looks at it first
    return slots.has_room(first, last, At != spot::front);
  }

  /// Effects: obtains room for a row. A growing pool loses the dead slots at its ends if they are
  /// many, as growth costs no less than to walk the list.
  template <spot At>
  [[gnu::noinline]] bool make_ready() {
    if constexpr (holds) {
      if (find_held<At>()) return true;
    } else {
      trim(window() / 8 + 1);
    }
    return is_ready<At>() || grow(At != spot::front);
  }

  [[nodiscard]] bool grow(bool at_end) {
    if constexpr (slots_type::moves_rows && base::is_watchful) {
      if (is_busy()) [[unlikely]]
        fatal("%s",
              "pool: the constructor or destructor of a row added a row, and the pool would have "
              "to move its rows: use policy::stable, or more capacity");
    }
    if constexpr (slots_type::moves_rows && !Layout::is_plain_memory) {
      const moving rows(*this);
      return slots.grow(rows.first, rows.last, at_end);
    } else {
      return slots.grow(first, last, at_end);
    }
  }

  /// Returns: whether a row can have a slot that is held. At an end, this is one with no live row
  /// behind it; others are listed. Each slot is listed once for each time that it was held.
  template <spot At>
  [[nodiscard]] bool find_held() noexcept {
    if constexpr (At == spot::any) {
      end_slots& held = held_back.count != 0 ? held_back : held_front;
      if (held.count == 0) return false;
      list(held.take(slots));
      return true;
    } else {
      end_slots& held = held_at<At>();
      while (held.count != 0 && live != 0 && has_row_behind<At>(held.top)) list(held.take(slots));
      return held.count != 0;
    }
  }
  template <spot At>
  [[nodiscard]] end_slots& held_at() noexcept {
    return At == spot::front ? held_front : held_back;
  }
  template <spot At>
  [[nodiscard]] bool has_held() const noexcept {
    return holds && (At == spot::front ? held_front : held_back).count != 0;
  }
  template <spot At>
  [[nodiscard]] bool has_row_behind(index i) const noexcept {
    const index row = At == spot::front ? next_live(first) : live_before(last);
    return (static_cast<index>(row - first) > static_cast<index>(i - first)) == (At == spot::back);
  }

  /// The caller makes the row before the pool grows, because its arguments may refer to a row that
  /// moves, or may use the pool. So only this row has an address, and not what the caller keeps in
  /// registers.
  template <spot At>
  [[gnu::noinline]] bool place_slow(index& i, typename Layout::value_type&& row) {
    if (!make_ready<At>()) return false;
    fill<At>(i, std::move(row));
    return true;
  }

  /// Effects: constructs a row in the slot listed last, or in the next one at that end.
  template <spot At, class... Arguments>
  [[gnu::always_inline]] inline void fill(index& i, Arguments&&... arguments) {
    const origin from = origin_of<At>();
    if (from == origin::listed) {
      i = head;
      if constexpr (reuses) head = Layout::link(slots, i);
      --listed;
    } else if (from == origin::held) {
      i = held_at<At>().take(slots);
    } else {
      if constexpr (At == spot::front && Policy::is_ring) slots.follow(next_index<At>());
      i = next_index<At>();
      if constexpr (base::is_watchful) widen<At>(i);  // rows that its constructor adds lie beyond it
    }
    {
      give_back<At> guard{*this, i, from};
      const busy_mark mark(*this);
      Layout::construct(slots, i, from == origin::fresh, std::forward<Arguments>(arguments)...);
      guard.from = origin::none;
    }
    if constexpr (!base::is_watchful) widen<At>(i);
    mark(i);
  }

  /// Effects: the window ends, or begins, with slot `i`.
  template <spot At>
  void widen(index i) noexcept {
    if constexpr (At != spot::front)
      last = static_cast<index>(i + 1);
    else
      first = i;
  }

  template <spot At>
  [[nodiscard]] origin origin_of() const noexcept {
    if (reuses && At == spot::any && listed != 0) return origin::listed;
    return At != spot::any && has_held<At>() ? origin::held : origin::fresh;
  }

  template <spot At>
  [[nodiscard]] index next_index() const noexcept {
    return At != spot::front ? last : static_cast<index>(first - 1);
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
      is_leaving_ = true;
      for (index i = from; i != to; ++i) Layout::leave(slots, i);
      is_leaving_ = false;
    }
  }
  /// Aborts if a destructor of a dead value uses the pool, whose books do not agree at that time.
  void require_settled() const noexcept {
    if constexpr (!Layout::leaves_trivially)
      if (is_leaving_) [[unlikely]]
        fatal("%s", "pool: a destructor of an erased row's fields used the pool");
  }

  /// Returns: whether `n` slots at one end may leave the window, of which slot `i` is the last one,
  /// whose row has just ended. The others are in the list. The walk over it visits at most
  /// `list_share` links for each.
  template <spot At>
  [[nodiscard]] bool may_leave(index i, std::size_t n) const noexcept {
    if (!reuses || n == 1) return true;
    if (live != 0 && (holds || n * list_share < listed)) return false;
    // The destructor may have added rows behind it.
    return !is_busy(1) && (live == 0 || !has_row_behind<At>(i));
  }
  static constexpr std::size_t list_share = 4;

  /// After a row at one end has left. `other` is where an empty window shall be.
  void settle(index other, bool others_left) noexcept {
    if (reuses && live == 0) {
      // An empty window without others has no dead slot. Others leave only if the pool is not busy.
      if (others_left || (first != last && !is_busy())) {
        leave(first, last);
        first = last = other;
        forget_dead();
      }
    } else if (others_left) {
      list_window();
    }
    if constexpr (!Policy::is_fixed)
      if (slots.is_loose(first, last)) [[unlikely]]
        shrink(false);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_neighbour() const noexcept {
    fatal("%s", "pool: the destructor of a row at one end added or ended a row at that end");
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_pop(const char* operation) const noexcept {
    if (!reuses && live != 0)
      fatal("pool: %s() by a constructor or destructor of one of its rows", operation);
    fatal("pool: %s() of an empty pool", operation);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(const auto& h) const noexcept {
    if (!h) fatal("%s", "pool: null handle: it names no row of any pool");
    if (h.pool_id() != id)
      fatal("pool: foreign handle: it belongs to pool %u, and this is pool %u", h.pool_id(), id);
    fatal("pool: stale handle: its row, generation %u of slot %u, was erased", h.generation(),
          h.index());
  }
};

}  // namespace heapsmith::detail
