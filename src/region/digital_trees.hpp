// The free blocks of 16 KiB and more: a digital tree for each bin.
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
 * The sizes of a bin differ in a few bits, and its blocks hang in a digital tree: below a block are
 * those whose next bit is 0 on the left, those with 1 on the right, while the block itself may have
 * either. So no path is longer than the bits that differ, and nothing is ever balanced.
 */
template <class Frame>
class digital_trees : protected sealed_blocks<Frame> {
 protected:
  using base = sealed_blocks<Frame>;
  using base::block_at;
  using base::info;

  [[nodiscard]] std::size_t size_of(const block* b) const { return info(b).size(); }

  void insert(block* b, std::size_t size);
  void remove(block* b, std::size_t size);
  void clear();

  /// The smallest block of at least `size` bytes, or null.
  [[nodiscard]] block* best(std::size_t size) const;
  /// The smallest block, or null.
  [[nodiscard]] block* least() const;
  /// The largest block, or null.
  [[nodiscard]] block* most() const;
  /// The largest block has at least this many bytes, and less than a sixteenth more.
  [[nodiscard]] std::size_t most_bytes() const {
    const std::size_t tree = planted_.last();
    return tree == trees::none ? 0 : floor_of(tree);
  }
  /// The first block that suits, of those in bins where blocks may have `size` bytes; or null.
  template <class Suits>
  block* find(std::size_t size, Suits&& suits) const;

  static constexpr std::size_t tree_count = region_bins::bin_count - region_bins::exact_bins;

  [[nodiscard]] static std::size_t tree_of(std::size_t size) {
    return region_bins::bin_of(size) - region_bins::exact_bins;
  }
  [[nodiscard]] static std::size_t floor_of(std::size_t tree) {
    return region_bins::bin_floor(tree + region_bins::exact_bins);
  }
  [[nodiscard]] static unsigned width_shift(std::size_t tree) {
    return region_bins::bin_width_shift(tree + region_bins::exact_bins);
  }

  template <class>
  friend class checker;

 private:
  using trees = bin_map<tree_count>;

  [[nodiscard]] large_block* node_at(link l) const {
    return static_cast<large_block*>(block_at(l));
  }
  static link get(const word& w) { return detail::probe::load(w); }
  static void set(word& w, link l) { detail::probe::store(w, l); }

  void join_ring(large_block* member, large_block* b);
  void replace(large_block* old, large_block* by, std::size_t bin);
  word& slot_of(large_block* b, std::size_t bin);
  large_block* detach_leaf_below(large_block* b);
  [[nodiscard]] block* best_in_tree(std::size_t bin, std::size_t size) const;
  [[nodiscard]] block* least_below(large_block* node, large_block* best) const;
  [[nodiscard]] block* any_of_ring(large_block* b) const;
  template <class Visit>
  block* find_in_tree(std::size_t bin, Visit&& visit) const;

  trees planted_;  // bins that have a tree
  word roots_[tree_count] = {};
};

template <class Frame>
void digital_trees<Frame>::clear() {
  planted_ = {};
  for (word& root : roots_) root = 0;
}

template <class Frame>
block* digital_trees<Frame>::best(std::size_t size) const {
  const std::size_t bin = tree_of(size);
  if (planted_.test(bin))
    if (block* const b = best_in_tree(bin, size); b != nullptr) return b;
  const std::size_t next = planted_.first_at_or_above(bin + 1);
  return next == trees::none ? nullptr : least_below(node_at(roots_[next]), nullptr);
}

template <class Frame>
block* digital_trees<Frame>::least() const {
  const std::size_t bin = planted_.first_at_or_above(0);
  return bin == trees::none ? nullptr : least_below(node_at(roots_[bin]), nullptr);
}

template <class Frame>
block* digital_trees<Frame>::most() const {
  const std::size_t bin = planted_.last();
  if (bin == trees::none) return nullptr;
  block* most = block_at(roots_[bin]);
  for (large_block* node = node_at(roots_[bin]); node != nullptr;) {
    if (size_of(node) > size_of(most)) most = node;
    const link right = get(node->child[1]);
    node = node_at(right != 0 ? right : get(node->child[0]));
  }
  return most;
}

template <class Frame>
template <class Suits>
block* digital_trees<Frame>::find(std::size_t size, Suits&& suits) const {
  for (std::size_t bin = planted_.first_at_or_above(tree_of(size)); bin != trees::none;
       bin = planted_.first_at_or_above(bin + 1))
    if (block* const b = find_in_tree(bin, suits); b != nullptr) return b;
  return nullptr;
}

/// The smallest of a bin's blocks that has `size` bytes, or null.
template <class Frame>
block* digital_trees<Frame>::best_in_tree(std::size_t bin, std::size_t size) const {
  large_block* best = nullptr;
  std::size_t best_size = region_bins::size_end;
  large_block* larger = nullptr;  // the nearest subtree of which all blocks are larger than `size`
  large_block* node = node_at(roots_[bin]);
  for (unsigned bit = width_shift(bin) - 1; node != nullptr; --bit) {
    const std::size_t its = size_of(node);
    if (its == size) return any_of_ring(node);
    if (its > size && its < best_size) {
      best = node;
      best_size = its;
    }
    const unsigned side = (size >> bit) & 1;
    if (side == 0 && get(node->child[1]) != 0) larger = node_at(get(node->child[1]));
    node = node_at(get(node->child[side]));
  }
  return least_below(larger, best);
}

/// The smallest block at and below `node`, unless `best` is smaller.
template <class Frame>
block* digital_trees<Frame>::least_below(large_block* node, large_block* best) const {
  std::size_t best_size = best == nullptr ? region_bins::size_end : size_of(best);
  while (node != nullptr) {
    if (const std::size_t its = size_of(node); its < best_size) {
      best = node;
      best_size = its;
    }
    const link left = get(node->child[0]);
    node = node_at(left != 0 ? left : get(node->child[1]));
  }
  return any_of_ring(best);
}

/// One of the size of `b` that is not in the tree, if there is one: it leaves with less work.
template <class Frame>
block* digital_trees<Frame>::any_of_ring(large_block* b) const {
  return b == nullptr ? nullptr : node_at(get(b->next));
}

template <class Frame>
template <class Visit>
block* digital_trees<Frame>::find_in_tree(std::size_t bin, Visit&& visit) const {
  // Up and down by the parents' links: a tree may be deeper than a stack is meant to be.
  large_block* node = node_at(roots_[bin]);
  const large_block* from = nullptr;
  while (node != nullptr) {
    large_block* const left = node_at(get(node->child[0]));
    large_block* const right = node_at(get(node->child[1]));
    large_block* const above =
        get(node->parent) == this->link_to(node) ? nullptr : node_at(get(node->parent));
    large_block* next = above;
    if (from == above) {  // on the way down
      large_block* member = node;
      do {
        if (visit(member)) return member;
        member = node_at(get(member->next));
      } while (member != node);
      next = left != nullptr ? left : right != nullptr ? right : above;
    } else if (from == left && right != nullptr) {
      next = right;
    }
    from = node;
    node = next;
  }
  return nullptr;
}

}  // namespace heapsmith::regions

#include "region/digital_trees_change.hpp"
