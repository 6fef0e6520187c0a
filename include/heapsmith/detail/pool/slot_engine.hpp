// How rows come into the slots of a typed pool and go: the engine below its interface.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/slot_books.hpp"
#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

enum class pool_end : bool { begin, end };

/// Constructs rows in slots and ends them, and keeps the books of that.
template <class Layout, class Policy>
class slot_engine {
 protected:
  using index_type = typename Policy::index_type;
  using value_type = typename Layout::value_type;
  using books_type = slot_books<Layout, Policy>;

  explicit slot_engine(const upstream<typename Policy::upstream_type>& from) noexcept
      : books_(from) {}

  template <pool_end End, bool MayThrow, class... Arguments>
  [[gnu::always_inline]] inline bool place(index_type& i, Arguments&&... arguments) {
    const bool is_listed = Policy::reuses && books_.listed != 0 && books_.take_listed(i);
    if (!is_listed && !has_next<End>()) [[unlikely]] {
      if constexpr (Policy::is_fixed) return false;
      value_type row(std::forward<Arguments>(arguments)...);
      return place_slow<End, MayThrow>(i, std::move(row));
    }
    fill<End>(i, is_listed, std::forward<Arguments>(arguments)...);
    return true;
  }

  /// The row comes before the pool grows, for what it is made of may be a row that moves. It is
  /// made by the caller, so that only this row has an address and not what the caller keeps in
  /// registers.
  template <pool_end End, bool MayThrow>
  [[gnu::noinline]] bool place_slow(index_type& i, value_type&& row) {
    constexpr bool at_end = End == pool_end::end;
    do {
      if (!books_.slots.has_room(books_.first, books_.last, at_end) &&
          !books_.slots.grow(books_.first, books_.last, at_end, MayThrow))
        return false;
    } while (skip_retired<End>());
    fill<End>(i, false, std::move(row));
    return true;
  }

  /// Effects: constructs a row in slot `i`, which was listed, or in the next one at that end.
  template <pool_end End, class... Arguments>
  [[gnu::always_inline]] inline void fill(index_type& i, bool is_listed, Arguments&&... arguments) {
    if (!is_listed) {
      if constexpr (End == pool_end::begin && Policy::is_ring)
        books_.slots.follow(next_index<End>());
      i = next_index<End>();
    }
    relist guard{books_, i, is_listed};
    Layout::construct(books_.slots, i, !is_listed, std::forward<Arguments>(arguments)...);
    guard.is_needed = false;
    if (!is_listed) widen<End>();
    books_.mark(i);
  }

  /// Whether the slot beyond that end can be used.
  template <pool_end End>
  [[nodiscard]] bool has_next() const noexcept {
    return books_.slots.has_room(books_.first, books_.last, End == pool_end::end) &&
           !next_is_retired<End>();
  }

  template <pool_end End>
  [[nodiscard]] index_type next_index() const noexcept {
    return End == pool_end::end ? books_.last : static_cast<index_type>(books_.first - 1);
  }
  template <pool_end End>
  void widen() noexcept {
    End == pool_end::end ? ++books_.last : --books_.first;
  }
  template <pool_end End>
  [[nodiscard]] bool next_is_retired() const noexcept {
    if constexpr (Policy::has_handles) return books_.is_retired(next_index<End>());
    return false;
  }

  /// Effects: a slot whose generations are used up enters the window dead. Returns: whether one
  /// did.
  template <pool_end End>
  [[nodiscard]] bool skip_retired() noexcept {
    if (!next_is_retired<End>()) return false;
    Layout::enter(books_.slots, next_index<End>());
    widen<End>();
    return true;
  }

  void end_row(index_type i) noexcept {
    Layout::end(books_.slots, i);
    books_.unmark(i);
    if (books_.advance_generation(i)) books_.list(i);
  }

  /// Effects: ends the row at one end of the window. Requires: there is one.
  void end_last() noexcept {
    const index_type i = books_.live_before(books_.last);
    if constexpr (Policy::has_handles) return end_row(i);
    Layout::end(books_.slots, i);
    books_.unmark(i);
    leave(i, books_.last);
    books_.last = i;
    settle(books_.first);
  }
  void end_first() noexcept {
    const index_type i = books_.next_live(books_.first);
    if constexpr (Policy::has_handles) return end_row(i);
    Layout::end(books_.slots, i);
    books_.unmark(i);
    const auto next = static_cast<index_type>(i + 1);
    leave(books_.first, next);
    books_.first = next;
    settle(books_.last);
    if (books_.window() == 0) books_.slots.number_from_beginning(books_.first);
    if constexpr (Policy::is_ring) {
      // A ring that goes round gives the places of strays to other indices.
      if (books_.slots.is_beyond(books_.first)) books_.drop_strays();
      books_.slots.follow(books_.first);
    }
  }

  void leave(index_type from, index_type to) noexcept {
    if constexpr (!Layout::leaves_trivially)
      for (index_type i = from; i != to; ++i) Layout::leave(books_.slots, i);
  }

  /// After a row at one end has gone; `other` is where an empty window shall be.
  void settle(index_type other) noexcept {
    if (Policy::reuses && books_.live == 0) {
      leave(books_.first, books_.last);
      books_.first = books_.last = other;
      books_.listed = 0;
    }
    if (books_.slots.is_loose(books_.first, books_.last)) [[unlikely]] {
      books_.drop_strays();
      books_.slots.shrink(books_.first, books_.last);
    }
  }

  void end_rows() noexcept {
    if constexpr (!Policy::reuses && Layout::ends_trivially && !probe::is_watched) return;
    for (index_type i = books_.next_live(books_.first); i != books_.last;
         i = books_.next_live(static_cast<index_type>(i + 1))) {
      Layout::end(books_.slots, i);
      books_.unmark(i);
      static_cast<void>(books_.advance_generation(i));
    }
    leave(books_.first, books_.last);
  }

  void clear(bool at_end) noexcept {
    if constexpr (Policy::has_handles) {
      // Slots keep their places, with their generations. They are listed, the first one on top: an
      // empty window at one end of the block would make it grow at the other.
      for (index_type i = books_.last; books_.live != 0;) end_row(i = books_.live_before(i));
      return;
    }
    end_rows();
    books_.listed = 0;
    books_.first = books_.last = books_.slots.position(at_end);
  }

  template <pool_end End>
  [[noreturn, gnu::cold]] void full() const {
    if constexpr (!Policy::is_fixed) {
      raise(std::bad_alloc());
    } else {
      fatal("pool: full: %zu of %zu slots are in use, and none is free at the %s", books_.size(),
            books_.slots.capacity(), End == pool_end::end ? "end" : "beginning");
    }
  }

  books_type books_;

 private:
  /// Puts a slot back that was listed, when the constructor of its row throws.
  struct relist {
    books_type& books;
    index_type i;
    bool is_needed;
    ~relist() {
      if (is_needed) books.list(i);
    }
  };
};

}  // namespace heapsmith::detail
