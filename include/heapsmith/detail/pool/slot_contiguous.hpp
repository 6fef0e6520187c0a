// Slots side by side in one block, which a growable pool replaces; a ring when the policy says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * Finds the slot of an index: the slot at place 0 has index `bias`, and so `i` is at `i - bias`.
 *
 * The subtraction is unsigned and may wrap. So a block that grows at its front changes the bias
 * and no index. In a ring, places from `capacity` on stand for those from 0 on.
 */
template <class Layout, class Policy>
class contiguous_slots {
  using index = typename Policy::index_type;
  using upstream_type = upstream<typename Policy::upstream_type>;
  using block_type = slot_block<Layout>;

 public:
  static constexpr bool is_pinned = Policy::has_handles;
  /// In a ring, a place may be up to twice the capacity before it is brought back.
  static constexpr std::size_t max_capacity =
      std::numeric_limits<index>::max() / (Policy::is_ring ? 2 : 1);

  explicit contiguous_slots(const upstream_type& from) noexcept : upstream_(from) {}
  contiguous_slots(contiguous_slots&& other) noexcept
      : block_(std::exchange(other.block_, block_type())),
        bias_(std::exchange(other.bias_, 0)),
        upstream_(other.upstream_) {}
  contiguous_slots& operator=(contiguous_slots&&) = delete;
  ~contiguous_slots() { replace(block_type()); }

  [[nodiscard]] std::size_t capacity() const noexcept { return block_.capacity(); }
  [[nodiscard]] index bias() const noexcept { return bias_; }
  [[nodiscard]] const block_type& block() const noexcept { return block_; }
  [[nodiscard]] const upstream_type& source() const noexcept { return upstream_; }

  [[nodiscard]] std::size_t place(index i) const noexcept {
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
    return block_.template column<T>(column) + place(i);
  }

  /// Returns: where slot `i` would be, if there is such a slot or not.
  [[nodiscard]] const void* address(index i) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(block_.template column<std::byte>(0));
    return reinterpret_cast<const void*>(first + place(i) * Layout::shapes[0].bytes);
  }

  /// How many slots from `i` on lie side by side.
  [[nodiscard]] std::size_t run(index i) const noexcept { return capacity() - place(i); }

  /// Effects: the slot at place 0 gets index `i`. Requires: the window is empty.
  void number_from(index i) noexcept { bias_ = i; }

  /// The same for a growable pool: a queue that runs empty, whose rows go at the beginning and come
  /// at the end, has all of its block before it again.
  void number_from_beginning(index i) noexcept {
    if constexpr (!Policy::is_fixed && !Policy::is_one_ended && !is_pinned) bias_ = i;
  }

  /// Where `clear` may put an empty window: at either end of the block.
  [[nodiscard]] index position(bool at_end) const noexcept {
    return static_cast<index>(bias_ + (at_end && !Policy::is_ring ? capacity() : 0));
  }

  [[nodiscard]] bool has_room(index first, index last, bool at_end) const noexcept {
    if constexpr (Policy::is_ring) return static_cast<index>(last - first) < capacity();
    return at_end ? place(last) < capacity() : first != bias_;
  }

  /// Whether a ring whose window begins at `first` has gone round, forwards or backwards.
  [[nodiscard]] bool is_beyond(index first) const noexcept {
    return static_cast<index>(first - bias_) >= capacity();
  }
  /// Effects: the bias of a ring follows its window.
  void follow(index first) noexcept {
    if (!is_beyond(first)) return;
    const bool is_backwards = static_cast<index>(first - bias_) > max_capacity;
    bias_ = static_cast<index>(is_backwards ? bias_ - capacity() : bias_ + capacity());
  }

  /// Effects: a block of `slots` for an empty window. Requires: none is held.
  [[nodiscard]] bool start(std::size_t slots, bool may_throw) {
    if (slots == 0) return true;
    if (slots > max_capacity || !block_.obtain(*upstream_, slots, may_throw)) return false;
    Layout::opened(block_);
    return true;
  }

  /// Effects: makes room for one slot more at one end of the window.
  [[nodiscard]] bool grow(index first, index last, bool at_end, bool may_throw) {
    const std::size_t used = static_cast<index>(last - first);
    if (Policy::is_fixed || used == max_capacity) return false;
    if (used == 0 && capacity() != 0 && !is_pinned) {
      bias_ = static_cast<index>(at_end ? first : first - capacity());
      return true;
    }
    const std::size_t offset = capacity() == 0 ? 0 : static_cast<index>(first - bias_);
    const auto to = moved_window(capacity(), offset, used, max_capacity, at_end, is_pinned);
    return move_window(to, first, used, may_throw);
  }

  /// Returns: whether shrink() has something to give back.
  [[nodiscard]] bool is_loose(index first, index last) const noexcept {
    return !is_pinned && !Policy::is_fixed && !Policy::keeps_capacity &&
           is_worth_halving(capacity(), static_cast<index>(last - first));
  }

  /// Effects: gives half of the block back. Requires: is_loose(first, last).
  void shrink(index first, index last) noexcept {
    const std::size_t used = static_cast<index>(last - first);
    const std::size_t half = capacity() / 2;
    // A refusal does no harm: the larger block serves as well.
    static_cast<void>(
        move_window({half, Policy::is_one_ended ? 0 : (half - used) / 2}, first, used, false));
  }

  /// Effects: a block of just the window. Returns: false when there was no memory for the move.
  bool shrink_to(index first, index last) noexcept {
    const std::size_t used = static_cast<index>(last - first);
    if (is_pinned || Policy::is_fixed || used == capacity()) return true;
    if (used != 0) return move_window({used, 0}, first, used, false);
    replace(block_type());
    bias_ = first;
    return true;
  }

  /// Effects: becomes the owner of a block in which the window from `first` on lies at `offset`.
  void adopt(block_type block, index first, std::size_t offset) noexcept {
    replace(std::exchange(block, block_type()));
    bias_ = static_cast<index>(first - offset);
  }

 private:
  [[nodiscard]] bool move_window(window_move to, index first, std::size_t used, bool may_throw) {
    block_type target;
    if (!target.obtain(*upstream_, to.capacity, may_throw)) return false;
    Layout::opened(target);
    if (capacity() != 0) {
      const std::size_t offset = static_cast<index>(first - bias_);
      Layout::relocate(block_, offset, target, to.offset, used);
      if constexpr (is_pinned)
        block_.copy_column(Layout::generation_column, 0, target, to.offset - offset, capacity());
    }
    adopt(target, first, to.offset);
    return true;
  }

  void replace(block_type by) noexcept {
    if (block_.capacity() != 0) {
      Layout::closed(block_);
      block_.give_back(*upstream_);
    }
    block_ = by;
  }

  block_type block_;
  index bias_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

}  // namespace heapsmith::detail
