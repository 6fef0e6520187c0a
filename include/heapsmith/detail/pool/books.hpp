// The books of a typed pool: how rows begin and end, its free list and generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/held_slots.hpp"
#include "heapsmith/detail/pool/id.hpp"
#include "heapsmith/detail/pool/live_slots.hpp"

namespace heapsmith::detail {

/// Where a row is added: anywhere, or beyond one end of the window.
enum class spot : std::uint8_t { any, back, front };

/**
 * Keeps account of the slots of a pool, and begins and ends rows.
 *
 * Invariant, which broken_invariant() walks:
 * - list: `listed` links lead from `head` over dead slots of the window, none twice. Without
 *   handles, every one of them is listed or held.
 *
 * A row that ends at an end of the window leaves the window with the dead slots behind it. Those
 * are in the list, which is walked to take them out: once they are a share of it, so that each slot
 * that leaves pays for a few links. Until then they stay.
 *
 * In a fixed pool they stay for good, as no growth pays for a walk. The slot of the row that ended
 * is held for the next row that is added at this end.
 */
template <class Layout, class Policy>
class slot_books : public live_slots<Layout, Policy> {
  using base = live_slots<Layout, Policy>;

 public:
  using index = typename base::index;
  using base::first;
  using base::is_inside;
  using base::is_live;
  using base::last;
  using base::live;
  using base::live_before;
  using base::mark;
  using base::next_live;
  using base::reuses;
  using base::size;
  using base::slots;
  using base::window;
  static constexpr bool has_handles = Policy::has_handles;
  static constexpr std::uint32_t generations = 1u << 20;

  explicit slot_books(const upstream<typename Policy::upstream_type>& from) noexcept : base(from) {}
  slot_books(slot_books&& other) noexcept
      : base(std::move(other)),
        head(other.head),
        listed(std::exchange(other.listed, 0)),
        held_front(std::exchange(other.held_front, {})),
        held_back(std::exchange(other.held_back, {})),
        id(other.id) {
    if constexpr (has_handles) other.id = next_pool_id();  // its handles have moved away
  }
  slot_books& operator=(slot_books&&) = delete;
  ~slot_books() = default;

  using end_slots = held_slots<Layout, index>;
  static constexpr bool holds = Policy::is_fixed && reuses && !has_handles;
  void list(index i) noexcept {
    if constexpr (reuses) {
      Layout::set_link(slots, i, head);
      head = i;
      ++listed;
    }
  }

  /// Effects: takes the slots that are outside the window out of the list.
  void list_window() noexcept {
    if constexpr (reuses) {
      index kept_last = 0;
      std::size_t kept = 0;
      for (index i = head; listed != 0; --listed) {
        const index next = Layout::link(slots, i);
        if (is_inside(i)) {
          if (kept++ == 0)
            head = i;
          else
            Layout::set_link(slots, kept_last, i);
          kept_last = i;
        }
        i = next;
      }
      listed = kept;
    }
  }

  /// Effects: the dead slots at both ends leave the window, if they are at least `least`.
  void trim(std::size_t least) noexcept {
    if constexpr (reuses && !has_handles) {
      const index begin = Policy::is_one_ended ? first : next_live(first);
      const index end = live == 0 ? begin : static_cast<index>(live_before(last) + 1);
      if (window() - static_cast<index>(end - begin) < least) return;
      leave(std::exchange(first, begin), begin);
      leave(end, std::exchange(last, end));
      list_window();
      if constexpr (Policy::is_ring) slots.follow(first);
    }
  }

  /// Effects: constructs a row in the slot listed last, if `At` allows that, or beyond one end.
  /// Returns: false, with nothing changed, if no room can be made.
  template <spot At, class... Arguments>
  [[gnu::always_inline]] inline bool place(index& i, Arguments&&... arguments) {
    if (!is_ready<At>()) [[unlikely]] {
      if constexpr (Policy::is_fixed) {
        if (!make_ready<At>()) return false;
      } else {
        auto row = made<typename Layout::value_type>(std::forward<Arguments>(arguments)...);
        return place_slow<At>(i, std::move(row));
      }
    }
    fill<At>(i, std::forward<Arguments>(arguments)...);
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
    end_value(i);
    if (advance_generation(i)) list(i);
  }

  /// Effects: ends the row at one end of the window. Requires: one exists.
  void end_last() noexcept {
    const index i = live_before(last);
    if constexpr (has_handles) return end_row(i);
    end_value(i);
    if (!may_leave(static_cast<index>(last - i))) return stay(i, held_back);
    leave(i, last);
    const bool others_leave = static_cast<index>(last - i) != 1;
    last = i;
    settle(first, others_leave);
  }
  void end_first() noexcept {
    const index i = next_live(first);
    if constexpr (has_handles) return end_row(i);
    end_value(i);
    const auto next = static_cast<index>(i + 1);
    if (!may_leave(static_cast<index>(next - first))) return stay(i, held_front);
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

  void end_rows() noexcept {
    if constexpr (!reuses && Layout::ends_trivially && !probe::is_watched) return;
    for (index i = next_live(first); i != last; i = next_live(static_cast<index>(i + 1)))
      end_value(i);
    leave(first, last);
  }

  void clear() noexcept {
    if constexpr (has_handles) {
      // All slots are listed, the first one on top: an empty window would make the block grow.
      for (index i = last; live != 0;) end_row(i = live_before(i));
    } else {
      end_rows();
      forget_dead();
      first = last = slots.origin();
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
      if constexpr (!Policy::is_fixed) return false;
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
    if (size() == 0) [[unlikely]]
      fatal("pool: %s() of an empty pool", operation);
  }

  [[nodiscard]] bool is_retired(index i) const noexcept {
    return has_handles && generation(i) >= generations;
  }

  index head = 0;          // of the free list, if any slot is listed
  std::size_t listed = 0;  // slots in the free list
  // Slots of rows that have ended at this end of the window. None if the pool grows.
  end_slots held_front, held_back;
  std::uint32_t id = has_handles ? next_pool_id() : 0;

 private:
  using base::bit;
  using base::word;

  /// Where the slot of a new row comes from.
  enum class origin : std::uint8_t { listed, held, fresh };

  /// Puts a slot back where it was, if the constructor of its row throws.
  struct give_back {
    slot_books& books;
    index i;
    origin from;
    end_slots* held;
    ~give_back() {
      if (from == origin::listed) books.list(i);
      if (from == origin::held) books.stay(i, *held);
    }
  };

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
    return is_ready<At>() || slots.grow(first, last, At != spot::front);
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
  /// moves. So only this row has an address, and not what the caller keeps in registers.
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
    }
    give_back guard{*this, i, from, &held_at<At>()};
    Layout::construct(slots, i, from == origin::fresh, std::forward<Arguments>(arguments)...);
    guard.from = origin::fresh;
    if (from == origin::fresh) {
      if (next_index<At>() != i) [[unlikely]]
        fatal("%s", "pool: the constructor of a row added a row to the same pool");
      At != spot::front ? ++last : --first;
    }
    mark(i);
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

  /// Effects: ends the row of slot `i`, which stays in the window.
  void end_value(index i) noexcept {
    Layout::end(slots, i);
    if constexpr (!reuses) return;
    std::uint64_t& bits = word(i);
    bits &= ~(std::uint64_t{1} << bit(i));
    if (bits == 0) [[unlikely]]
      slots.note_last_live(i);
    --live;
  }

  void leave(index from, index to) noexcept {
    if constexpr (!Layout::leaves_trivially)
      for (index i = from; i != to; ++i) Layout::leave(slots, i);
  }

  /// Returns: whether `n` slots at one end may leave the window, of which the last one's row has
  /// just ended. The others are in the list. The walk over it visits at most `list_share` links for
  /// each.
  [[nodiscard]] bool may_leave(std::size_t n) const noexcept {
    return !reuses || n == 1 || live == 0 || (!holds && n * list_share >= listed);
  }
  static constexpr std::size_t list_share = 4;

  void forget_dead() noexcept { listed = held_front.count = held_back.count = 0; }

  /// After a row at one end has left. `other` is where an empty window shall be.
  void settle(index other, bool others_left) noexcept {
    if (reuses && live == 0) {
      leave(first, last);
      first = last = other;
      forget_dead();
    } else if (others_left) {
      list_window();
    }
    if (slots.is_loose(first, last)) [[unlikely]]
      slots.shrink(first, last, false);
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
