// Slots in pieces that never move: a directory finds the piece of an index.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * Piece `q` has the slots of the indices whose upper bits are `q`; a pool holds a run of pieces.
 *
 * The directory is a window of pointers, two-ended like the pool. A piece that the pool has left at
 * one end is used again at the other, so that a queue runs in a handful of pieces.
 */
template <class Layout, class Policy>
class piece_slots {
  using index = typename Policy::index_type;
  using upstream_type = upstream<typename Policy::upstream_type>;
  using block_type = slot_block<Layout>;

  /// About 4 KiB, and a whole word of bits.
  static constexpr std::size_t per_piece =
      std::clamp<std::size_t>(std::bit_floor(4096 / Layout::shapes[0].bytes + 1), 64, 1024);
  static constexpr unsigned shift = std::countr_zero(per_piece);
  static constexpr index piece_mask = std::numeric_limits<index>::max() >> shift;

 public:
  static constexpr bool is_pinned = Policy::has_handles;
  static constexpr std::size_t max_capacity = std::numeric_limits<index>::max() - 2 * per_piece;

  explicit piece_slots(const upstream_type& from) noexcept : upstream_(from) {}
  piece_slots(piece_slots&& other) noexcept
      : directory_(std::exchange(other.directory_, nullptr)),
        entries_(std::exchange(other.entries_, 0)),
        offset_(std::exchange(other.offset_, 0)),
        count_(std::exchange(other.count_, 0)),
        first_piece_(std::exchange(other.first_piece_, 0)),
        upstream_(other.upstream_) {}
  piece_slots& operator=(piece_slots&&) = delete;
  ~piece_slots() {
    while (count_ != 0) give_back_piece(true);
    if (entries_ != 0) upstream_->deallocate(directory_, directory_bytes(entries_), alignof(void*));
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return count_ * per_piece; }
  [[nodiscard]] const upstream_type& source() const noexcept { return upstream_; }

  /// Returns: where the column begins in the piece of slot `i`.
  template <class T>
  [[nodiscard]] T* base(std::size_t column, index i) const noexcept {
    return directory_[offset_ + distance(i)].template column<T>(column);
  }
  template <class T>
  [[nodiscard]] T* cell(std::size_t column, index i) const noexcept {
    return base<T>(column, i) + place(i);
  }

  /// Returns: where slot `i` is, or nullptr if there is no such slot.
  [[nodiscard]] const void* address(index i) const noexcept {
    if (distance(i) >= count_) return nullptr;
    return base<std::byte>(0, i) + place(i) * Layout::shapes[0].bytes;
  }

  [[nodiscard]] static std::size_t place(index i) noexcept { return i % per_piece; }
  [[nodiscard]] static std::size_t run(index i) noexcept { return per_piece - place(i); }

  /// Effects: the first piece is the one of `i`. Requires: the window is empty.
  void number_from(index i) noexcept { first_piece_ = piece_of(i); }
  void number_from_beginning(index) noexcept {}  // pieces that the window leaves can be used again

  [[nodiscard]] index position(bool at_end) const noexcept {
    return static_cast<index>((first_piece_ + (at_end ? count_ : 0)) << shift);
  }

  [[nodiscard]] bool has_room(index first, index last, bool at_end) const noexcept {
    return distance(at_end ? last : static_cast<index>(first - 1)) < count_;
  }

  /// Effects: pieces for `slots` slots, wherever in the first one the window may begin.
  [[nodiscard]] bool start(std::size_t slots, bool may_throw) {
    while (slots != 0 && capacity() < slots + per_piece - 1)
      if (!append(true, may_throw)) return false;
    return true;
  }

  [[nodiscard]] bool grow(index first, index last, bool at_end, bool may_throw) {
    if (static_cast<index>(last - first) >= max_capacity) return false;
    if (count_ == 0) first_piece_ = piece_of(at_end ? last : first);
    if (is_pinned || count_ == 0) return append(at_end, may_throw);
    if (first == last) {  // what is held is as good at any index
      first_piece_ = at_end ? piece_of(last) : piece_before(first, count_);
      return true;
    }
    const std::size_t unused =
        at_end ? distance(first) : count_ - 1 - distance(static_cast<index>(last - 1));
    return unused != 0 ? turn_round(at_end, may_throw) : append(at_end, may_throw);
  }

  [[nodiscard]] bool is_loose(index first, index last) const noexcept {
    if (is_pinned || Policy::keeps_capacity || count_ < 2) return false;
    if (first == last) return true;
    return distance(first) > 1 || count_ - 1 - distance(static_cast<index>(last - 1)) > 1;
  }

  /// Effects: gives pieces back that the pool has left, but for one at each end.
  void shrink(index first, index last) noexcept { give_back(first, last, 1); }

  bool shrink_to(index first, index last) noexcept {
    give_back(first, last, 0);
    return true;
  }

 private:
  static constexpr std::size_t directory_bytes(std::size_t entries) {
    return entries * sizeof(block_type);
  }
  static index piece_of(index i) noexcept { return static_cast<index>(i >> shift); }
  /// Returns: the first of `count` pieces that end with the one of the slot before `i`.
  static index piece_before(index i, std::size_t count) noexcept {
    return static_cast<index>(piece_of(static_cast<index>(i - 1)) - (count - 1)) & piece_mask;
  }
  std::size_t distance(index i) const noexcept {
    return static_cast<index>(piece_of(i) - first_piece_) & piece_mask;
  }

  void give_back(index first, index last, std::size_t spare) noexcept {
    if (is_pinned) return;
    if (first == last) {
      while (count_ > spare) give_back_piece(true);
      if (count_ == 0) first_piece_ = piece_of(first);
      return;
    }
    while (count_ - 1 - distance(static_cast<index>(last - 1)) > spare) give_back_piece(true);
    while (distance(first) > spare) give_back_piece(false);
  }

  void give_back_piece(bool at_end) noexcept {
    block_type& piece = directory_[at_end ? offset_ + count_ - 1 : offset_];
    Layout::closed(piece);
    piece.give_back(*upstream_);
    drop_entry(!at_end);
  }

  void drop_entry(bool in_front) noexcept {
    --count_;
    if (!in_front) return;
    ++offset_;
    first_piece_ = static_cast<index>(first_piece_ + 1) & piece_mask;
  }

  /// Effects: the unused piece at the other end comes to this one.
  [[nodiscard]] bool turn_round(bool at_end, bool may_throw) {
    if (!has_entry(at_end) && !grow_directory(at_end, may_throw)) return false;
    const block_type piece = directory_[at_end ? offset_ : offset_ + count_ - 1];
    drop_entry(at_end);
    place_entry(piece, at_end);
    return true;
  }

  [[nodiscard]] bool append(bool at_end, bool may_throw) {
    if (!has_entry(at_end) && !grow_directory(at_end, may_throw)) return false;
    block_type piece;
    if (!piece.obtain(*upstream_, per_piece, may_throw)) return false;
    Layout::opened(piece);
    place_entry(piece, at_end);
    return true;
  }

  [[nodiscard]] bool has_entry(bool at_end) const noexcept {
    return at_end ? offset_ + count_ < entries_ : offset_ != 0;
  }

  void place_entry(const block_type& piece, bool at_end) noexcept {
    if (at_end) {
      directory_[offset_ + count_] = piece;
    } else {
      directory_[--offset_] = piece;
      first_piece_ = static_cast<index>(first_piece_ - 1) & piece_mask;
    }
    ++count_;
  }

  [[nodiscard]] bool grow_directory(bool at_end, bool may_throw) {
    const auto to = moved_window(entries_, offset_, count_, max_capacity, at_end, false);
    void* p = may_throw ? upstream_->allocate(directory_bytes(to.capacity), alignof(void*))
                        : upstream_->try_allocate(directory_bytes(to.capacity), alignof(void*));
    if (p == nullptr) return false;
    auto* directory = static_cast<block_type*>(p);
    if (count_ != 0)
      std::memcpy(static_cast<void*>(directory + to.offset), directory_ + offset_,
                  directory_bytes(count_));
    if (entries_ != 0) upstream_->deallocate(directory_, directory_bytes(entries_), alignof(void*));
    directory_ = directory;
    entries_ = to.capacity;
    offset_ = to.offset;
    return true;
  }

  block_type* directory_ = nullptr;
  std::size_t entries_ = 0;  // how many the directory has room for
  std::size_t offset_ = 0;   // where the first piece's entry is
  std::size_t count_ = 0;    // pieces held
  index first_piece_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

}  // namespace heapsmith::detail
