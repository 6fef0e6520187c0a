// The slots of a typed pool in one block, which is replaced when it is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * Slots side by side in one block, which a growable pool replaces when it is full; with
 * policy::ring, a ring.
 *
 * The slot at position 0 has index `bias`, and slot `i` is at position `i - bias`. The subtraction
 * is unsigned and may wrap around, so a block that grows at its front changes the bias and no
 * index. In a ring, positions from `capacity` on stand for those from 0 on.
 */
template <class Layout, class Policy>
class contiguous_slots {
  using index = typename Policy::index_type;
  using upstream_type = upstream<typename Policy::upstream_type>;
  using block_type = slot_block<Layout>;

 public:
  static constexpr bool is_pinned = Policy::has_handles;
  /// Whether growing and shrinking move rows.
  static constexpr bool moves_rows = !Policy::is_fixed;
  static constexpr std::size_t max_capacity =
      most_in_block(std::numeric_limits<index>::max(), Policy::is_ring);

  explicit contiguous_slots(const upstream_type& from) noexcept : upstream_(from) {}
  contiguous_slots(contiguous_slots&& other) noexcept
      : block_(std::exchange(other.block_, block_type())),
        bias_(std::exchange(other.bias_, 0)),
        upstream_(other.upstream_) {}
  contiguous_slots& operator=(contiguous_slots&&) = delete;
  ~contiguous_slots() { block_.give_back(*upstream_); }

  /// Whether a window of `used` slots fits, wherever it begins.
  static constexpr bool can_hold(std::uint64_t, std::uint64_t used) noexcept {
    return used <= most_slots(Layout::shapes, max_capacity);
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return block_.capacity(); }
  [[nodiscard]] const upstream_type& source() const noexcept { return upstream_; }

  [[nodiscard]] std::size_t position(index i) const noexcept {
    if constexpr (Policy::is_one_ended && !Policy::is_ring) return i;
    const auto p = static_cast<index>(i - bias_);
    if constexpr (Policy::is_ring) return p >= capacity() ? p - capacity() : p;
    return p;
  }

  /// Returns: where the column begins in the block of slot `i`.
  template <class T>
  [[nodiscard]] T* base(std::size_t column, index) const noexcept {
    return block_.template column<T>(column);
  }
  template <class T>
  [[nodiscard]] T* cell(std::size_t column, index i) const noexcept {
    return block_.template column<T>(column) + position(i);
  }

  /// Returns: where slot `i` would be, whether such a slot exists or not.
  [[nodiscard]] const void* address(index i) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(block_.template column<std::byte>(0));
    return reinterpret_cast<const void*>(first + position(i) * Layout::shapes[0].bytes);
  }

  /// Returns: how many slots from `i` on lie side by side.
  [[nodiscard]] std::size_t run(index i) const noexcept { return capacity() - position(i); }

  /// Effects: the word with the live bit of slot `i` got its first bit, or lost its last one.
  [[gnu::noinline]] void note_first_live(index i) const noexcept {
    block_.live().note_first(position(i) / 64);
  }
  [[gnu::noinline]] void note_last_live(index i) const noexcept {
    block_.live().note_last(position(i) / 64);
  }

  /// Returns: how many slots behind slot `i` the first live one is, or bit_tree::none.
  /// In a ring it may lie beyond the window, which has gone round.
  [[nodiscard, gnu::noinline]] std::size_t next_live(index i) const noexcept {
    const std::size_t from = position(i), found = block_.live().next(from);
    if (found != bit_tree::none) return found - from;
    if constexpr (!Policy::is_ring) return bit_tree::none;
    const std::size_t round = block_.live().next(0);
    return round == bit_tree::none ? bit_tree::none : round + capacity() - from;
  }
  /// Returns: how many slots before slot `i` the last live one is. Requires: one exists.
  [[nodiscard, gnu::noinline]] std::size_t previous_live(index i) const noexcept {
    const std::size_t from = position(i), found = block_.live().previous(from);
    if (!Policy::is_ring || found != bit_tree::none) return from - found;
    return from + capacity() - block_.live().previous(capacity() - 1);
  }

  [[nodiscard]] bool has_sound_bits() const noexcept {
    return capacity() == 0 || block_.live().is_sound();
  }

  /// Returns: the index of the slot at position 0.
  [[nodiscard]] index origin() const noexcept { return bias_; }
  /// Effects: the slot at position 0 gets index `i`. Requires: the window is empty.
  void number_from(index i) noexcept { bias_ = i; }

  [[nodiscard]] bool has_room(index first, index last, bool at_end) const noexcept {
    if constexpr (Policy::is_ring) return static_cast<index>(last - first) < capacity();
    return at_end ? position(last) < capacity() : first != bias_;
  }

  /// Returns: whether a ring whose window begins at `first` has gone round, in either direction.
  [[nodiscard]] bool is_beyond(index first) const noexcept {
    return static_cast<index>(first - bias_) >= capacity();
  }
  /// Effects: the bias of a ring follows its window.
  void follow(index first) noexcept {
    if (!is_beyond(first)) return;
    const bool is_backwards = static_cast<index>(first - bias_) > max_capacity;
    bias_ = static_cast<index>(is_backwards ? bias_ - capacity() : bias_ + capacity());
  }

  /// Effects: obtains a block of `slots` slots. Requires: none is held.
  [[nodiscard]] bool start(std::size_t slots) {
    return slots == 0 || (slots <= max_capacity && block_.obtain(*upstream_, slots));
  }

  /// Effects: makes room for one slot more at one end of the window.
  [[nodiscard]] bool grow(index first, index last, bool at_end) {
    const std::size_t used = static_cast<index>(last - first);
    if (!Policy::is_one_ended && used == 0 && capacity() != 0 && !is_pinned) {
      bias_ = static_cast<index>(at_end ? first : first - capacity());
      return true;
    }
    if constexpr (moves_rows) {
      if (used == max_capacity) return false;
      const std::size_t offset = capacity() == 0 ? 0 : static_cast<index>(first - bias_);
      const auto to = moved_window(capacity(), offset, used, max_capacity, at_end, is_pinned);
      return to && move_window(*to, first, used);
    }
    return false;
  }

  /// Returns: whether shrink() can give something back.
  [[nodiscard]] bool is_loose(index first, index last) const noexcept {
    return !is_pinned && !Policy::is_fixed && !Policy::keeps_capacity &&
           is_worth_halving(capacity(), static_cast<index>(last - first));
  }

  /// Effects: tries to reduce the block, to its half or to the window.
  void shrink(index first, index last, bool to_fit) noexcept {
    const std::size_t used = static_cast<index>(last - first);
    const std::size_t to = to_fit ? used : capacity() / 2;
    if (to == 0) {
      block_.give_back(*upstream_);
      bias_ = first;
    } else if (to != capacity()) {
      // If this fails, the larger block remains, which serves as well.
      static_cast<void>(move_window({to, Policy::is_one_ended ? 0 : (to - used) / 2}, first, used));
    }
  }

 private:
  /// Until the rows have moved, the pool has no block: code of the user that adds a row meanwhile
  /// finds no room.
  [[nodiscard]] bool move_window(window_move to, index first, std::size_t used) {
    block_type old = std::exchange(block_, block_type());
    block_type target;
    if (!target.obtain(*upstream_, to.capacity)) {
      block_ = old;
      return false;
    }
    if (old.capacity() != 0) {
      const std::size_t offset = static_cast<index>(first - bias_);
      Layout::relocate(old, offset, target, to.offset, used);
      if constexpr (is_pinned)
        old.copy_column(Layout::generation_column, 0, target, to.offset - offset, old.capacity());
    }
    old.give_back(*upstream_);
    block_ = target;
    bias_ = static_cast<index>(first - to.offset);
    return true;
  }

  block_type block_;
  index bias_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

}  // namespace heapsmith::detail
