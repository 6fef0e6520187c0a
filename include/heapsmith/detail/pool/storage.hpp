// The slots of a typed pool: how they are obtained, found by index, grown and given back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * One block of memory with the columns of `Layout` for some number of slots. It does not own the
 * memory.
 *
 * Column 0 lies at the beginning. The columns of the pool's own books follow those of the values,
 * and are zero at first.
 */
template <class Layout>
class slot_block {
 public:
  static constexpr std::size_t columns = Layout::shapes.size();

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  template <class T>
  [[nodiscard]] T* column(std::size_t c) const noexcept {
    return reinterpret_cast<T*>(column_[c]);
  }

  /// Returns: false, with nothing changed, if the upstream has no such block.
  template <class Upstream>
  [[nodiscard]] bool obtain(Upstream& from, std::size_t capacity) {
    const auto shape = shape_of(Layout::shapes, capacity, Layout::column_align);
    if (!shape) return false;
    auto* p = static_cast<std::byte*>(from.try_allocate(shape->bytes, shape->align));
    if (p == nullptr) return false;
    for (std::size_t c = 0; c < columns; ++c) column_[c] = p + shape->offset[c];
    constexpr std::size_t books = Layout::books_column;
    if constexpr (books < columns)
      std::memset(column_[books], 0, shape->bytes - shape->offset[books]);
    capacity_ = capacity;
    if constexpr (!Layout::is_soa) probe::enter_buffer(nullptr, p, slot_bytes());
    return true;
  }

  template <class Upstream>
  void give_back(Upstream& to) noexcept {
    if (capacity_ == 0) return;
    const auto shape = shape_of(Layout::shapes, capacity_, Layout::column_align);
    if constexpr (!Layout::is_soa) probe::leave_buffer(nullptr, column_[0], slot_bytes());
    to.deallocate(column_[0], shape->bytes, shape->align);
    *this = slot_block();
  }

  /// Effects: copies `count` slots of column `c`, bytes or bits, to another block.
  void copy_column(std::size_t c, std::size_t from, slot_block& target, std::size_t to,
                   std::size_t count) const noexcept {
    const column_shape shape = Layout::shapes[c];
    if (shape.slots == 1)
      std::memcpy(target.column_[c] + to * shape.bytes, column_[c] + from * shape.bytes,
                  count * shape.bytes);
    else
      copy_bits(target.column<std::uint64_t>(c), to, column<std::uint64_t>(c), from, count);
  }

 private:
  std::size_t slot_bytes() const noexcept { return capacity_ * Layout::shapes[0].bytes; }

  // No std::array: GCC 12 folds the accessors of two layouts and then warns of the longer one.
  std::byte* column_[columns] = {};
  std::size_t capacity_ = 0;
};

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
  /// In a ring, a position may be up to twice the capacity before it is brought back.
  static constexpr std::size_t max_capacity =
      std::numeric_limits<index>::max() / (Policy::is_ring ? 2 : 1);

  explicit contiguous_slots(const upstream_type& from) noexcept : upstream_(from) {}
  contiguous_slots(contiguous_slots&& other) noexcept
      : block_(std::exchange(other.block_, block_type())),
        bias_(std::exchange(other.bias_, 0)),
        upstream_(other.upstream_) {}
  contiguous_slots& operator=(contiguous_slots&&) = delete;
  ~contiguous_slots() { block_.give_back(*upstream_); }

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
    if (Policy::is_fixed || used == max_capacity) return false;
    const std::size_t offset = capacity() == 0 ? 0 : static_cast<index>(first - bias_);
    const auto to = moved_window(capacity(), offset, used, max_capacity, at_end, is_pinned);
    return move_window(to, first, used);
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
  [[nodiscard]] bool move_window(window_move to, index first, std::size_t used) {
    block_type target;
    if (!target.obtain(*upstream_, to.capacity)) return false;
    if (capacity() != 0) {
      const std::size_t offset = static_cast<index>(first - bias_);
      Layout::relocate(block_, offset, target, to.offset, used);
      if constexpr (is_pinned)
        block_.copy_column(Layout::generation_column, 0, target, to.offset - offset, capacity());
    }
    block_.give_back(*upstream_);
    block_ = target;
    bias_ = static_cast<index>(first - to.offset);
    return true;
  }

  block_type block_;
  index bias_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

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

  /// About 4 KiB, and a whole word of bits.
  static constexpr std::size_t per_piece =
      least(most(std::bit_floor(4096 / Layout::shapes[0].bytes + 1), 64), 1024);
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
    give_back_directory();
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return count_ * per_piece; }
  [[nodiscard]] const upstream_type& source() const noexcept { return upstream_; }

  template <class T>
  [[nodiscard]] T* base(std::size_t column, index i) const noexcept {
    return directory_[offset_ + distance(i)].template column<T>(column);
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

  [[nodiscard]] index origin() const noexcept { return static_cast<index>(first_piece_ << shift); }
  /// Effects: the first piece becomes that of `i`. Requires: the window is empty.
  void number_from(index i) noexcept { first_piece_ = piece_of(i); }

  [[nodiscard]] bool has_room(index first, index last, bool at_end) const noexcept {
    return distance(at_end ? last : static_cast<index>(first - 1)) < count_;
  }

  /// Effects: obtains pieces for `slots` slots, wherever in the first one the window may begin.
  [[nodiscard]] bool start(std::size_t slots) {
    while (slots != 0 && capacity() < slots + per_piece - 1)
      if (!add_piece(true, false)) return false;
    return true;
  }

  [[nodiscard]] bool grow(index first, index last, bool at_end) {
    if (static_cast<index>(last - first) >= max_capacity) return false;
    if (count_ == 0) first_piece_ = piece_of(at_end ? last : first);
    if (is_pinned || count_ == 0) return add_piece(at_end, false);
    if (first == last) {  // the pieces held can have any indices
      const auto end = static_cast<index>(piece_of(static_cast<index>(first - 1)) + 1);
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
    const auto to = moved_window(entries_, offset_, count_, max_capacity, at_end, false);
    const std::size_t bytes = to.capacity * sizeof(block_type);
    void* p = upstream_->try_allocate(bytes, alignof(void*));
    if (p == nullptr) return false;
    auto* directory = static_cast<block_type*>(p);
    if (count_ != 0)
      std::memcpy(static_cast<void*>(directory + to.offset), directory_ + offset_,
                  count_ * sizeof(block_type));
    give_back_directory();
    directory_ = directory;
    entries_ = to.capacity;
    offset_ = to.offset;
    return true;
  }
  void give_back_directory() noexcept {
    if (entries_ != 0)
      upstream_->deallocate(directory_, entries_ * sizeof(block_type), alignof(void*));
  }

  block_type* directory_ = nullptr;
  std::size_t entries_ = 0;  // how many the directory has room for
  std::size_t offset_ = 0;   // where the first piece's entry is
  std::size_t count_ = 0;    // pieces held
  index first_piece_ = 0;
  [[no_unique_address]] upstream_type upstream_;
};

}  // namespace heapsmith::detail
