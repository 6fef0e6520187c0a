// The free blocks of a region by size: exact bins, and above 16 KiB a digital tree for each bin.
#pragma once

#include "region/bin_map.hpp"
#include "region/block.hpp"

namespace heapsmith::regions {

/// A free block of 16 KiB or more. Those of equal size form a ring, one of which is in the tree.
struct [[gnu::may_alias]] large_block : block {
  word child[2];
  word parent;  ///< 0: not in the tree; the block itself: its root
};

/**
 * Which free block is the smallest that suffices?
 *
 * Below 16 KiB a bin is a list of blocks of one size, the latest first. Above, the sizes of a bin
 * differ in a few bits, and its blocks hang in a digital tree: below a block are those whose next
 * bit is 0 on the left, those with 1 on the right, while the block itself may have either. So no
 * path is longer than the bits that differ, and nothing is ever balanced.
 *
 * One free block, the *designated* one (Lea's word), is in no bin though it is as free as the
 * others: it is the one whose size changes most often, being carved from or growing by its
 * neighbours.
 */
template <class Frame>
class free_index : protected sealed_blocks<Frame> {
 protected:
  using base = sealed_blocks<Frame>;
  using base::block_at;
  using base::info;

  [[nodiscard]] std::size_t size_of(const block* b) const { return info(b).size(); }

  /// The smallest free block of at least `size` bytes, or null. It stays where it is.
  [[nodiscard]] block* best_fit(std::size_t size) const;

  /// Takes out a block of exactly this size, if it is below 16 KiB and there is one; else null.
  [[nodiscard]] block* pop_exact(std::size_t size);

  /// The largest free block, or null.
  [[nodiscard]] block* largest() const;

  /// Makes a free block known, whose header says its size: as the designated one if it is large.
  void put(block* b, std::size_t size);
  /// Takes a free block out.
  void remove(block* b, std::size_t size);
  /// The designated block lies elsewhere now, for it was carved from in front or grew.
  void designate(block* b) { designated_ = b == nullptr ? 0 : this->link_to(b); }
  [[nodiscard]] block* designated() const { return block_at(designated_); }

  /// Forgets all blocks.
  void clear();

  /// The first block that suits, of those in bins where blocks may have `size` bytes; or null.
  /// Complexity: linear in the number of free blocks.
  template <class Suits>
  block* find_fit(std::size_t size, Suits&& suits) const;

  template <class>
  friend class checker;

 private:
  using bins = bin_map<region_bins::bin_count>;

  bins used_;                                // bins that are not empty
  word heads_[region_bins::bin_count] = {};  // a list, or the root of a tree
  link designated_ = 0;

  [[nodiscard]] large_block* node_at(link l) const {
    return static_cast<large_block*>(block_at(l));
  }
  static link get(const word& w) { return detail::probe::load(w); }
  static void set(word& w, link l) { detail::probe::store(w, l); }

  void insert(block* b, std::size_t size);
  void insert_in_list(block* b, std::size_t bin);
  void remove_from_list(block* b, std::size_t bin);
  void insert_in_tree(large_block* b, std::size_t size, std::size_t bin);
  void remove_from_tree(large_block* b, std::size_t bin);
  void join_ring(large_block* member, large_block* b);
  void replace(large_block* old, large_block* by, std::size_t bin);
  word& slot_of(large_block* b, std::size_t bin);
  large_block* detach_leaf_below(large_block* b);
  [[nodiscard]] block* best_in_tree(std::size_t bin, std::size_t size) const;
  [[nodiscard]] block* least_below(large_block* node, large_block* best) const;
  [[nodiscard]] block* any_of_ring(large_block* b) const;
  template <class Visit>
  block* find_in_bin(std::size_t bin, Visit&& visit) const;
};

template <class Frame>
block* free_index<Frame>::best_fit(std::size_t size) const {
  if (size >= region_bins::size_end) return nullptr;
  const std::size_t first = region_bins::bin_of(size);
  std::size_t bin = used_.first_at_or_above(first);
  block* best = nullptr;
  if (bin == first && !region_bins::is_exact(bin)) {
    best = best_in_tree(bin, size);
    if (best == nullptr) bin = used_.first_at_or_above(bin + 1);
  }
  if (best == nullptr && bin != bins::none)
    best = region_bins::is_exact(bin) ? block_at(heads_[bin])
                                      : least_below(node_at(heads_[bin]), nullptr);

  // Of two that fit equally the designated one is the cheaper.
  block* const d = designated();
  if (d == nullptr) return best;
  const std::size_t its = size_of(d);
  return its >= size && (best == nullptr || its <= size_of(best)) ? d : best;
}

template <class Frame>
block* free_index<Frame>::pop_exact(std::size_t size) {
  if (size >= region_bins::large_min) return nullptr;
  const std::size_t bin = region_bins::bin_of(size);
  block* const b = block_at(heads_[bin]);
  if (b == nullptr) return nullptr;
  const link next = get(b->next);
  heads_[bin] = next;
  if (next != 0)
    set(block_at(next)->previous, 0);
  else
    used_.clear(bin);
  return b;
}

template <class Frame>
block* free_index<Frame>::largest() const {
  const std::size_t bin = used_.last();
  block* const d = designated();
  if (bin == bins::none) return d;
  block* best = block_at(heads_[bin]);
  if (!region_bins::is_exact(bin))
    for (large_block* node = node_at(heads_[bin]); node != nullptr;) {
      if (size_of(node) > size_of(best)) best = node;
      const link right = get(node->child[1]);
      node = node_at(right != 0 ? right : get(node->child[0]));
    }
  return d != nullptr && size_of(d) > size_of(best) ? d : best;
}

template <class Frame>
template <class Suits>
block* free_index<Frame>::find_fit(std::size_t size, Suits&& suits) const {
  if (size >= region_bins::size_end) return nullptr;
  for (std::size_t bin = used_.first_at_or_above(region_bins::bin_of(size)); bin != bins::none;
       bin = used_.first_at_or_above(bin + 1))
    if (block* const b = find_in_bin(bin, suits); b != nullptr) return b;
  block* const d = designated();
  return d != nullptr && suits(d) ? d : nullptr;
}

template <class Frame>
void free_index<Frame>::put(block* b, std::size_t size) {
  if (size < region_bins::large_min) return insert(b, size);
  block* const before = designated();
  designate(b);
  if (before != nullptr) insert(before, size_of(before));
}

template <class Frame>
void free_index<Frame>::insert(block* b, std::size_t size) {
  const std::size_t bin = region_bins::bin_of(size);
  if (region_bins::is_exact(bin))
    insert_in_list(b, bin);
  else
    insert_in_tree(static_cast<large_block*>(b), size, bin);
}

template <class Frame>
void free_index<Frame>::remove(block* b, std::size_t size) {
  if (b == designated()) return designate(nullptr);
  const std::size_t bin = region_bins::bin_of(size);
  if (region_bins::is_exact(bin))
    remove_from_list(b, bin);
  else
    remove_from_tree(static_cast<large_block*>(b), bin);
}

template <class Frame>
void free_index<Frame>::clear() {
  used_ = {};
  for (word& head : heads_) head = 0;
  designated_ = 0;
}

template <class Frame>
void free_index<Frame>::insert_in_list(block* b, std::size_t bin) {
  const link head = heads_[bin], self = this->link_to(b);
  set(b->next, head);
  set(b->previous, 0);
  if (head != 0)
    set(block_at(head)->previous, self);
  else
    used_.set(bin);
  heads_[bin] = self;
}

template <class Frame>
void free_index<Frame>::remove_from_list(block* b, std::size_t bin) {
  const link next = get(b->next), previous = get(b->previous);
  if (next != 0) set(block_at(next)->previous, previous);
  if (previous != 0) {
    set(block_at(previous)->next, next);
  } else {
    heads_[bin] = next;
    if (next == 0) used_.clear(bin);
  }
}

}  // namespace heapsmith::regions

#include "region/free_tree.hpp"
