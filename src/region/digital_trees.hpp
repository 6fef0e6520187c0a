// The free blocks that are too large for exact bins: a digital tree for each bin.
#pragma once

#include <initializer_list>

#include "region/bin_map.hpp"
#include "region/block.hpp"

namespace heapsmith::regions {

/// A large free block. Blocks of equal size form a ring; one of them is in the tree.
struct [[gnu::may_alias]] large_block : block {
  link_word child[2];
  link_word parent;  ///< 0 if the block is not in the tree; the block itself if it is the root
};

/**
 * The sizes of a bin differ in a few bits, and its blocks form a digital tree. Below a block, sizes
 * whose next bit is 0 are on the left, and sizes with a 1 on the right; the block itself may have
 * either. So no path is longer than the number of differing bits, and the tree needs no balancing.
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
  /// The smallest size in the bin of the largest block; 0 without blocks.
  [[nodiscard]] std::size_t most_bytes() const {
    const std::size_t tree = planted_.last();
    return tree == trees::none ? 0 : floor_of(tree);
  }
  /// A block for which `suits` is true, from bins whose blocks may have `size` bytes; or null.
  template <class Suits>
  block* find(std::size_t size, Suits&& suits) const;

  using bins = typename Frame::bins;
  static constexpr std::size_t tree_count = bins::bin_count - bins::exact_bins;

  [[nodiscard]] static std::size_t tree_of(std::size_t size) {
    return bins::bin_of(size) - bins::exact_bins;
  }
  [[nodiscard]] static std::size_t floor_of(std::size_t tree) {
    return bins::bin_floor(tree + bins::exact_bins);
  }
  [[nodiscard]] static unsigned width_shift(std::size_t tree) {
    return bins::bin_width_shift(tree + bins::exact_bins);
  }

  template <class>
  friend class checker;

 private:
  using trees = bin_map<tree_count>;
  static_assert(sizeof(large_block) + header_bytes <= bins::large_min);

  [[nodiscard]] large_block* node_at(link l) const {
    return static_cast<large_block*>(block_at(l));
  }
  static link get(const link_word& w) { return detail::probe::load(w); }
  static void set(link_word& w, link l) { detail::probe::store(w, l); }

  void join_ring(large_block* member, large_block* b);
  void replace(large_block* old, large_block* by, std::size_t bin);
  link_word& slot_of(large_block* b, std::size_t bin);
  large_block* detach_leaf_below(large_block* b);
  [[nodiscard]] block* best_in_tree(std::size_t bin, std::size_t size) const;
  [[nodiscard]] block* least_below(large_block* node, large_block* best) const;
  [[nodiscard]] block* any_of_ring(large_block* b) const;
  template <class Visit>
  block* find_in_tree(std::size_t bin, Visit&& visit) const;

  trees planted_;  // bins that have a tree
  link_word roots_[tree_count] = {};
};

template <class Frame>
void digital_trees<Frame>::clear() {
  planted_ = {};
  for (link_word& root : roots_) root = 0;
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

/// The smallest block of a bin with at least `size` bytes, or null.
template <class Frame>
block* digital_trees<Frame>::best_in_tree(std::size_t bin, std::size_t size) const {
  large_block* best = nullptr;
  std::size_t best_size = region_bins::size_end;
  large_block* larger = nullptr;  // the nearest subtree in which all blocks exceed `size`
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

/// The smallest block of the subtree `node`, or `best` if that is smaller.
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

/// A block as large as `b`; if possible one outside the tree, which is easier to remove.
template <class Frame>
block* digital_trees<Frame>::any_of_ring(large_block* b) const {
  return b == nullptr ? nullptr : node_at(get(b->next));
}

template <class Frame>
template <class Visit>
block* digital_trees<Frame>::find_in_tree(std::size_t bin, Visit&& visit) const {
  // Follows the links to parents instead of recursing, to use little stack.
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

template <class Frame>
void digital_trees<Frame>::insert(block* small, std::size_t size) {
  auto* const b = static_cast<large_block*>(small);
  const std::size_t bin = tree_of(size);
  const link self = this->link_to(b);
  set(b->next, self);
  set(b->previous, self);
  set(b->child[0], 0);
  set(b->child[1], 0);
  if (roots_[bin] == 0) {
    roots_[bin] = self;
    set(b->parent, self);
    return planted_.set(bin);
  }
  large_block* node = node_at(roots_[bin]);
  for (unsigned bit = width_shift(bin) - 1;; --bit) {
    if (size_of(node) == size) return join_ring(node, b);
    link_word& slot = node->child[(size >> bit) & 1];
    if (get(slot) == 0) {
      set(slot, self);
      return set(b->parent, this->link_to(node));
    }
    node = node_at(get(slot));
  }
}

template <class Frame>
void digital_trees<Frame>::join_ring(large_block* member, large_block* b) {
  const link self = this->link_to(b), next = get(member->next);
  set(b->parent, 0);
  set(b->previous, this->link_to(member));
  set(b->next, next);
  set(node_at(next)->previous, self);
  set(member->next, self);
}

template <class Frame>
void digital_trees<Frame>::remove(block* small, std::size_t size) {
  auto* const b = static_cast<large_block*>(small);
  const std::size_t bin = tree_of(size);
  const link self = this->link_to(b), next = get(b->next);
  if (next != self) {
    large_block* const heir = node_at(next);
    const link previous = get(b->previous);
    set(node_at(previous)->next, next);
    set(heir->previous, previous);
    if (get(b->parent) != 0) replace(b, heir, bin);
    return;
  }
  if (large_block* const leaf = detach_leaf_below(b); leaf != nullptr) return replace(b, leaf, bin);
  set(slot_of(b, bin), 0);
  if (roots_[bin] == 0) planted_.clear(bin);
}

/// The link of the tree that leads to `b`.
template <class Frame>
link_word& digital_trees<Frame>::slot_of(large_block* b, std::size_t bin) {
  const link self = this->link_to(b), parent = get(b->parent);
  if (parent == self) return roots_[bin];
  large_block* const above = node_at(parent);
  return above->child[get(above->child[1]) == self];
}

/// Takes a leaf from below `b`; it may replace any block above it. Returns: null if `b` is a leaf.
template <class Frame>
large_block* digital_trees<Frame>::detach_leaf_below(large_block* b) {
  link_word* slot = nullptr;
  large_block* node = b;
  for (;;) {
    const unsigned side = get(node->child[1]) != 0;
    if (get(node->child[side]) == 0) break;
    slot = &node->child[side];
    node = node_at(get(*slot));
  }
  if (slot == nullptr) return nullptr;
  set(*slot, 0);
  return node;
}

template <class Frame>
void digital_trees<Frame>::replace(large_block* old, large_block* by, std::size_t bin) {
  const link self = this->link_to(by), parent = get(old->parent);
  set(by->parent, parent == this->link_to(old) ? self : parent);
  set(slot_of(old, bin), self);
  for (const unsigned side : {0U, 1U}) {
    const link child = get(old->child[side]);
    set(by->child[side], child);
    if (child != 0) set(node_at(child)->parent, self);
  }
}

}  // namespace heapsmith::regions
