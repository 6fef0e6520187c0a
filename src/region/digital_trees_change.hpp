// Members of digital_trees that change a tree: blocks that come and go.
#pragma once

#include "region/digital_trees.hpp"

namespace heapsmith::regions {

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
    word& slot = node->child[(size >> bit) & 1];
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

/// The word that leads to a block of the tree.
template <class Frame>
word& digital_trees<Frame>::slot_of(large_block* b, std::size_t bin) {
  const link self = this->link_to(b), parent = get(b->parent);
  if (parent == self) return roots_[bin];
  large_block* const above = node_at(parent);
  return above->child[get(above->child[1]) == self];
}

/// Any block may stand where a block above it stood.
template <class Frame>
large_block* digital_trees<Frame>::detach_leaf_below(large_block* b) {
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
