// The books of a typed pool: how rows begin, and their handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/construct.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/id.hpp"
#include "heapsmith/detail/pool/row_ends.hpp"

namespace heapsmith::detail {

/// Begins rows, and knows them by their handles.
template <class Layout, class Policy>
class slot_books : public row_ends<Layout, Policy> {
  using base = row_ends<Layout, Policy>;

 public:
  using index = typename base::index;
  using base::first;
  using base::generation;
  using base::has_handles;
  using base::head;
  using base::held_back;
  using base::held_front;
  using base::holds;
  using base::is_busy;
  using base::is_live;
  using base::last;
  using base::list;
  using base::listed;
  using base::live;
  using base::mark;
  using base::require_settled;
  using base::reuses;
  using base::size;
  using base::slots;
  using base::stay;
  using base::trim;
  using base::window;

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

  /// Effects: constructs a row in the slot listed last, if `At` allows that, or beyond one end.
  /// Returns: false, with nothing changed, if no room can be made.
  template <spot At, class... Arguments>
  [[gnu::always_inline]] inline bool place(index& i, Arguments&&... arguments) {
    require_settled();
    if constexpr (Layout::template is_made_first<Arguments...>) {
      if (!slots_type::moves_rows && !is_ready<At>() && !make_ready<At>()) return false;
      auto row = made<typename Layout::value_type>(std::forward<Arguments>(arguments)...);
      if (!is_ready<At>()) [[unlikely]]
        return given(i, place_slow<At>(std::move(row)));
      fill<At>(i, std::move(row));
    } else {
      if (!is_ready<At>()) [[unlikely]] {
        if constexpr (slots_type::moves_rows) {
          auto row = made<typename Layout::value_type>(std::forward<Arguments>(arguments)...);
          return given(i, place_slow<At>(std::move(row)));
        } else if (!make_ready<At>()) {
          return false;
        }
      }
      fill<At>(i, std::forward<Arguments>(arguments)...);
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

  /// As place(). Returns: the index of the row.
  template <spot At, class... Arguments>
  [[gnu::always_inline]] inline index add(Arguments&&... arguments) {
    index i;
    if (place<At>(i, std::forward<Arguments>(arguments)...)) [[likely]]
      return i;
    refuse_row(At == spot::front ? "beginning" : "end");
  }
  template <spot At, class... Arguments>
  std::optional<index> try_add(Arguments&&... arguments) {
    index i;
    if (place<At>(i, std::forward<Arguments>(arguments)...)) return i;
    return std::nullopt;
  }

  /// Effects: refuses a row for which there is no room.
  [[noreturn, gnu::cold]] void refuse_row(const char* end) const {
    if constexpr (!Policy::is_fixed) raise(std::bad_alloc());
    fatal("pool: full: %zu of %zu slots are in use, and none is free at the %s", size(),
          slots.capacity(), end);
  }

  std::uint32_t id = has_handles ? next_pool_id() : 0;

 private:
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
      while (held.count != 0 && live != 0 && this->template has_row_behind<At>(held.top))
        list(held.take(slots));
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
  /// The caller makes the row before the pool grows, because its arguments may refer to a row that
  /// moves, or may use the pool. So only this row has an address, and not what the caller keeps in
  /// registers, as the index.
  template <spot At>
  [[gnu::noinline]] std::optional<index> place_slow(typename Layout::value_type&& row) {
    if (!make_ready<At>()) return std::nullopt;
    index i;
    fill<At>(i, std::move(row));
    return i;
  }
  static bool given(index& i, const std::optional<index> placed) noexcept {
    if (placed) i = *placed;
    return placed.has_value();
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
      if constexpr (base::is_watchful)
        widen<At>(i);  // rows that its constructor adds lie beyond it
    }
    {
      give_back<At> guard{*this, i, from};
      const busy_mark busy(*this);
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
