// The nodes of an offset region, which describe its blocks, in a table by number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/extremes.hpp"
#include "heapsmith/detail/check.hpp"

namespace heapsmith::offsets {

using node_number = std::uint32_t;

/// A block, live or free. Its size is the distance to the node after it.
struct node {
  std::uint64_t offset = 0;      // where it begins, in units of the granularity
  node_number before = 0;        // its neighbours in the order of offsets
  node_number after = 0;         //
  std::uint32_t generation = 0;  // of a live block; 0 in free blocks and in spare nodes
  node_number list_before = 0;   // free: in the list of its bin; 0 in the first
  node_number list_after = 0;    // free: the same, 0 in the last. Spare: the next spare node, or 0
  std::uint32_t waste = 0;       // live: bytes that rounding to the granularity added
};
static_assert(sizeof(node) == 32);

/**
 * Nodes by number, in pieces of memory that never move.
 *
 * Piece k has 64 * 2^k numbers, so the highest bit of a number determines its piece. If the memory
 * of a piece is too short, the rest of its numbers are not used. Memory is not accessed before a
 * node in it is taken.
 */
class node_table {
 public:
  static constexpr unsigned pieces_max = 26;  // numbers have 32 bits

  node& operator[](node_number i) { return *reinterpret_cast<node*>(address(i)); }
  const node& operator[](node_number i) const { return *reinterpret_cast<const node*>(address(i)); }

  /// Requires: room for at least one node. Returns: false if no numbers are left.
  bool add(void* memory, std::size_t bytes) {
    if (pieces_ == pieces_max) return false;
    auto at = reinterpret_cast<std::uintptr_t>(memory);
    for (std::uint64_t nodes = bytes / sizeof(node); nodes != 0 && pieces_ != pieces_max;) {
      const std::uint64_t here = smaller_of(nodes, piece_size(pieces_));
      bases_[pieces_] = at;
      filled_[pieces_] = static_cast<std::uint32_t>(here);
      ++pieces_;
      at += here * sizeof(node);
      nodes -= here;
      count_ += here;
    }
    return true;
  }

  /// Returns: the number of a node that was not in use. Requires: left() != 0.
  node_number take() {
    HS_ASSERT(left() != 0);
    ++taken_;
    if (spare_ != 0) {
      const node_number i = spare_;
      spare_ = (*this)[i].list_after;
      return i;
    }
    if (fresh_ - first_of(fresh_piece_) == filled_[fresh_piece_]) fresh_ = first_of(++fresh_piece_);
    return static_cast<node_number>(fresh_++);
  }

  void give(node_number i) {
    --taken_;
    (*this)[i].generation = 0;
    (*this)[i].list_after = spare_;
    spare_ = i;
  }

  /// Gives all nodes at once.
  void clear() {
    spare_ = 0;
    taken_ = fresh_ = 0;
    fresh_piece_ = 0;
  }

  /// Whether the node has been taken since the last clear(), and may be read.
  [[nodiscard]] bool has(node_number i) const {
    return i < fresh_ && i - first_of(piece_of(i)) < filled_[piece_of(i)];
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t left() const { return count_ - taken_; }

 private:
  static constexpr unsigned first_shift = 6;

  static constexpr std::uint64_t piece_size(unsigned k) {
    return std::uint64_t{1} << (first_shift + k);
  }
  static constexpr std::uint64_t first_of(unsigned k) { return piece_size(k) - piece_size(0); }
  static constexpr unsigned piece_of(std::uint64_t i) {
    return static_cast<unsigned>(std::bit_width((i + piece_size(0)) >> (first_shift + 1)));
  }

  [[nodiscard]] std::uintptr_t address(node_number i) const {
    const unsigned k = piece_of(i);
    return bases_[k] + (i - first_of(k)) * sizeof(node);
  }

  std::uint64_t count_;               // nodes that have memory
  std::uint64_t taken_;               // nodes in use
  std::uint64_t fresh_;               // numbers from here on have not been taken since clear()
  unsigned fresh_piece_;              // the piece of fresh_, or the one before if that is full
  unsigned pieces_;                   // pieces with memory
  node_number spare_;                 // a list of nodes that were given
  std::uint32_t filled_[pieces_max];  // numbers of each piece that have memory
  std::uintptr_t bases_[pieces_max];
};

}  // namespace heapsmith::offsets
