// The slots of a typed pool in pieces that never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/detail/pool/slot_block.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * Slots in pieces that never move. Piece `q` has the slots of the indices whose upper bits are `q`;
 * a pool holds consecutive pieces.
 *
 * The directory of pieces has two ends, like the pool. A piece that the pool has left at one end is
 * used again at the other, so a queue needs only a few pieces. The interface is that of
 * contiguous_slots.
 */
template <class Layout, class Policy>
class piece_slots {
  using index = typename Policy::index_type;
  using upstream_type = upstream<typename Policy::upstream_type>;
  using block_type = slot_block<Layout>;

  static constexpr unsigned index_bits = static_cast<unsigned>(
      least(std::numeric_limits<index>::digits, std::numeric_limits<std::size_t>::digits));
  static constexpr unsigned shift = piece_shift(Layout::shapes[0].bytes, index_bits);
  static constexpr std::size_t per_piece = std::size_t{1} << shift;
  static_assert(per_piece >> shift == 1);  // at once, so that debuggers know the shift
  static constexpr index piece_mask = std::numeric_limits<index>::max() >> shift;
  static constexpr std::size_t max_pieces = most_pieces(index_bits, shift);

 public:
  static constexpr bool is_pinned = Policy::has_handles;
  static constexpr bool moves_rows = false;
  static constexpr std::size_t max_capacity = most_in_pieces(index_bits, shift);

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
    if (entries_ != 0) give_back_directory(directory_, entries_);
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return count_ * per_piece; }
  [[nodiscard]] const upstream_type& source() const noexcept { return upstream_; }

  template <class T>
  [[nodiscard]] T* base(std::size_t column, index i) const noexcept {
    return piece(i).template column<T>(column);
  }
  template <class T>
  [[nodiscard]] T* cell(std::size_t column, index i) const noexcept {
    return base<T>(column, i) + position(i);
  }

  /// Returns: where slot `i` is, or nullptr if no such slot exists.
  [[nodiscard]] const void* address(index i) const noexcept {
    if (distance(i) >= count_) return nullptr;
    return base<std::byte>(0, i) + position(i) * Layout::shapes[0].bytes;
  }

  [[nodiscard]] static std::size_t position(index i) noexcept { return i % per_piece; }
  [[nodiscard]] static std::size_t run(index i) noexcept { return per_piece - position(i); }

  [[gnu::noinline]] void note_first_live(index i) const noexcept {
    if (piece(i).live().note_first(position(i) / 64)) with_rows().set(entry(i));
  }
  [[gnu::noinline]] void note_last_live(index i) const noexcept {
    if (piece(i).live().note_last(position(i) / 64)) with_rows().clear(entry(i));
  }

  [[nodiscard, gnu::noinline]] std::size_t next_live(index i) const noexcept {
    const std::size_t from = position(i), found = piece(i).live().next(from);
    if (found != bit_tree::none) return found - from;
    const std::size_t e = with_rows().next(entry(i) + 1);
    if (e == bit_tree::none) return bit_tree::none;
    return (e - entry(i)) * per_piece - from + directory_[e].live().next(0);
  }
  [[nodiscard, gnu::noinline]] std::size_t previous_live(index i) const noexcept {
    const std::size_t from = position(i), found = piece(i).live().previous(from);
    if (found != bit_tree::none) return from - found;
    const std::size_t e = with_rows().previous(entry(i) - 1);
    return (entry(i) - e) * per_piece + from - directory_[e].live().previous(per_piece - 1);
  }

  [[nodiscard]] bool has_sound_bits() const noexcept {
    for (std::size_t e = offset_; e < offset_ + count_; ++e) {
      const bool has_rows = directory_[e].live().next(0) != bit_tree::none;
      if (!directory_[e].live().is_sound() || has_rows != (with_rows().next(e) == e)) return false;
    }
    return entries_ == 0 || with_rows().is_sound();
  }

  [[nodiscard]] index origin() const noexcept { return static_cast<index>(first_piece_ << shift); }
  /// Effects: the first piece becomes that of `i`. Requires: the window is empty.
  void number_from(index i) noexcept { first_piece_ = piece_of(i); }

  /// Whether a window of `used` slots that begins at `first` fits into the pieces that indices
  /// allow.
  static constexpr bool can_hold(std::uint64_t first, std::uint64_t used) noexcept {
    const std::size_t most = max_pieces * per_piece;
    return used <= most && first % per_piece + used <= most;
  }

  [[nodiscard]] bool has_room(index first, index last, bool at_end) const noexcept {
    return distance(at_end ? last : static_cast<index>(first - 1)) < count_;
  }

  /// Effects: obtains pieces for `slots` slots, wherever in the first one the window may begin.
  /// The directory comes first: it is refused at once if the pieces can never be had.
  [[nodiscard]] bool start(std::size_t slots) {
    if (slots > most_slots(Layout::shapes, max_capacity)) return false;
    const std::size_t pieces = pieces_for(slots, shift);
    if (pieces > entries_ && !move_directory({pieces, 0})) return false;
    while (count_ < pieces)
      if (!add_piece(true, false)) return false;
    return true;
  }

  [[nodiscard]] bool grow(index first, index last, bool at_end) {
    if (static_cast<index>(last - first) >= max_capacity) return false;
    const auto end = static_cast<index>(piece_of(static_cast<index>(first - 1)) + 1);
    if (count_ == 0) first_piece_ = at_end ? piece_of(last) : end & piece_mask;
    if (is_pinned || count_ == 0) return add_piece(at_end, false);
    if (first == last) {  // the pieces held can have any indices
      first_piece_ = at_end ? piece_of(last) : static_cast<index>(end - count_) & piece_mask;
      return true;
    }
    return add_piece(at_end, unused(first, last, !at_end) != 0);
  }

  [[nodiscard]] bool is_loose(index first, index last) const noexcept {
    if (is_pinned || Policy::keeps_capacity || count_ < 2) return false;
    return first == last || unused(first, last, false) > 1 || unused(first, last, true) > 1;
  }

  /// Effects: gives back the pieces that the pool has left, except one at each end unless `to_fit`.
  void shrink(index first, index last, bool to_fit) noexcept {
    const std::size_t spare = to_fit ? 0 : 1;
    if (first == last) {
      while (count_ > spare) give_back_piece(true);
      if (count_ == 0) first_piece_ = piece_of(first);
      return;
    }
    while (unused(first, last, true) > spare) give_back_piece(true);
    while (unused(first, last, false) > spare) give_back_piece(false);
  }

 private:
  static index piece_of(index i) noexcept { return static_cast<index>(i >> shift); }
  std::size_t distance(index i) const noexcept {
    return static_cast<index>(piece_of(i) - first_piece_) & piece_mask;
  }
  /// Returns: where the directory has the piece of slot `i`.
  std::size_t entry(index i) const noexcept { return offset_ + distance(i); }
  const block_type& piece(index i) const noexcept { return directory_[entry(i)]; }

  /// Returns: a bit for each entry of the directory, set if the piece has a live row. The bits lie
  /// behind the entries, and only if slots are reused.
  bit_tree with_rows() const noexcept {
    return {reinterpret_cast<std::uint64_t*>(directory_ + entries_), entries_};
  }
  static constexpr auto bytes_of(std::size_t entries) noexcept {
    return directory_bytes(entries, sizeof(block_type), Policy::reuses);
  }

  /// Returns: how many pieces at one end have no slot of the window.
  std::size_t unused(index first, index last, bool at_end) const noexcept {
    return at_end ? count_ - 1 - distance(static_cast<index>(last - 1)) : distance(first);
  }

  void give_back_piece(bool at_end) noexcept {
    block_type piece = drop_entry(at_end);
    piece.give_back(*upstream_);
  }

  block_type drop_entry(bool at_end) noexcept {
    --count_;
    if (at_end) return directory_[offset_ + count_];
    first_piece_ = static_cast<index>(first_piece_ + 1) & piece_mask;
    return directory_[offset_++];
  }

  /// Effects: adds a piece at one end: the unused one of the other end, or a new one.
  [[nodiscard]] bool add_piece(bool at_end, bool reuses) {
    if (count_ == max_pieces && !reuses) return false;
    if ((at_end ? offset_ + count_ == entries_ : offset_ == 0) && !grow_directory(at_end))
      return false;
    block_type piece;
    if (reuses)
      piece = drop_entry(!at_end);
    else if (!piece.obtain(*upstream_, per_piece))
      return false;
    if (!at_end) {
      --offset_;
      first_piece_ = static_cast<index>(first_piece_ - 1) & piece_mask;
    }
    directory_[at_end ? offset_ + count_ : offset_] = piece;
    ++count_;
    return true;
  }

  [[nodiscard]] bool grow_directory(bool at_end) {
    const auto to = moved_window(entries_, offset_, count_, max_pieces + 1, at_end, false);
    return to && move_directory(*to);
  }
  [[nodiscard]] bool move_directory(window_move to) {
    const auto bytes = bytes_of(to.capacity);
    if (!bytes) return false;
    void* p = upstream_->try_allocate(*bytes, alignof(block_type));
    if (p == nullptr) return false;
    auto* directory = static_cast<block_type*>(p);
    const std::size_t old_entries = std::exchange(entries_, to.capacity);
    block_type* const old = std::exchange(directory_, directory);
    const std::size_t old_offset = std::exchange(offset_, to.offset);
    if constexpr (Policy::reuses)
      std::memset(with_rows().words, 0, *bytes - entries_ * sizeof(block_type));
    if (count_ != 0)
      std::memcpy(static_cast<void*>(directory_ + offset_), old + old_offset,
                  count_ * sizeof(block_type));
    for (std::size_t e = offset_; Policy::reuses && e < offset_ + count_; ++e)
      if (directory_[e].live().next(0) != bit_tree::none) with_rows().set(e);
    if (old_entries != 0) give_back_directory(old, old_entries);
    return true;
  }
  void give_back_directory(block_type* directory, std::size_t entries) noexcept {
    upstream_->deallocate(directory, *bytes_of(entries), alignof(block_type));
  }

  block_type* directory_ = nullptr;
  std::size_t entries_ = 0;  // how many the directory has room for
  std::size_t offset_ = 0;   // where the first piece's entry is
  std::size_t count_ = 0;    // pieces held
  index first_piece_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

}  // namespace heapsmith::detail
