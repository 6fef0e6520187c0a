// The digital trees of the free index: members of free_index for blocks of 16 KiB and more.
#pragma once

#include "region/free_index.hpp"

namespace heapsmith::regions {

template <class Frame>
void free_index<Frame>::insert_in_tree(large_block* b, std::size_t size, std::size_t bin) {
  const link self = this->link_to(b);
  set(b->next, self);
  set(b->previous, self);
  set(b->child[0], 0);
  set(b->child[1], 0);
  if (heads_[bin] == 0) {
    heads_[bin] = self;
    set(b->parent, self);
    return used_.set(bin);
  }
  large_block* node = node_at(heads_[bin]);
  for (unsigned bit = region_bins::bin_width_shift(bin) - 1;; --bit) {
    if (size_of(node) == size) return join_ring(node, b);
    word& slot = node->child[(size >> bit) & 1];
    if (get(slot) == 0) {
      set(slot, self);
      return set(b->parent, this->link_to(node));
    }
    node = node_at(get(slot));
  }
}

template <class Frame>
void free_index<Frame>::join_ring(large_block* member, large_block* b) {
  const link self = this->link_to(b), next = get(member->next);
  set(b->parent, 0);
  set(b->previous, this->link_to(member));
  set(b->next, next);
  set(node_at(next)->previous, self);
  set(member->next, self);
}

template <class Frame>
void free_index<Frame>::remove_from_tree(large_block* b, std::size_t bin) {
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
  if (heads_[bin] == 0) used_.clear(bin);
}

/// The word that leads to a block of the tree.
template <class Frame>
word& free_index<Frame>::slot_of(large_block* b, std::size_t bin) {
  const link self = this->link_to(b), parent = get(b->parent);
  if (parent == self) return heads_[bin];
  large_block* const above = node_at(parent);
  return above->child[get(above->child[1]) == self];
}

/// Any block may stand where a block above it stood.
template <class Frame>
large_block* free_index<Frame>::detach_leaf_below(large_block* b) {
  word* slot = nullptr;
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
void free_index<Frame>::replace(large_block* old, large_block* by, std::size_t bin) {
  const link self = this->link_to(by), parent = get(old->parent);
  set(by->parent, parent == this->link_to(old) ? self : parent);
  set(slot_of(old, bin), self);
  for (const unsigned side : {0U, 1U}) {
    const link child = get(old->child[side]);
    set(by->child[side], child);
    if (child != 0) set(node_at(child)->parent, self);
  }
}

/// The smallest of a bin's blocks that has `size` bytes, or null.
template <class Frame>
block* free_index<Frame>::best_in_tree(std::size_t bin, std::size_t size) const {
  large_block* best = nullptr;
  std::size_t best_size = region_bins::size_end;
  large_block* larger = nullptr;  // the nearest subtree of which all blocks are larger than `size`
  large_block* node = node_at(heads_[bin]);
  for (unsigned bit = region_bins::bin_width_shift(bin) - 1; node != nullptr; --bit) {
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
  return larger == nullptr ? (best == nullptr ? nullptr : any_of_ring(best))
                           : least_below(larger, best);
}

/// The smallest block at and below `node`, unless `best` is smaller.
template <class Frame>
block* free_index<Frame>::least_below(large_block* node, large_block* best) const {
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

/// One that is not in the tree, if there is one: it leaves with less work.
template <class Frame>
block* free_index<Frame>::any_of_ring(large_block* b) const {
  return node_at(get(b->next));
}

template <class Frame>
template <class Visit>
block* free_index<Frame>::find_in_bin(std::size_t bin, Visit&& visit) const {
  if (region_bins::is_exact(bin)) {
    for (block* b = block_at(heads_[bin]); b != nullptr; b = block_at(get(b->next)))
      if (visit(b)) return b;
    return nullptr;
  }
  // Up and down by the parents' links: a tree may be deeper than a stack is meant to be.
  large_block* node = node_at(heads_[bin]);
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
