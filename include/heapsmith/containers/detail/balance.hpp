// Keeps a binary tree of index-linked nodes balanced by ranks, without recursion.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace heapsmith::detail {

/// What links a node into a tree: 12 bytes where indices have 32 bits.
template <class Index>
struct tree_links {
  Index child[2];
  Index up;  // the parent, shifted, and the parity of the rank in the lowest bit
};

/**
 * A weak AVL tree (Haeupler, Sen and Tarjan, 2015): every node has a rank, leaves 0 and no node -1.
 *
 * Invariants: rank_rule, a rank is 1 or 2 more than that of each child; leaf_rule, a leaf's rank
 * is 0. So the height is at most twice the binary logarithm of the size, and as low as that of an
 * AVL tree if nothing was ever erased. To insert or to erase takes at most two rotations.
 *
 * Only the parity of a rank is kept. As differences are 1 or 2, a child that differs in parity is
 * one below its parent; while the tree is mended the one place where the difference may be 0 or 3
 * is known.
 *
 * `Nodes` has `links(i)`, a reference to the tree_links of node `i`, and `root()`, one to the root.
 */
template <class Nodes, class Index>
class balanced {
 public:
  /// No node. It leaves the parent's index one bit less than an index has.
  static constexpr Index nil = std::numeric_limits<Index>::max() >> 1;

  explicit balanced(Nodes& nodes) noexcept : nodes_(nodes) {}

  Index child(Index i, bool side) const noexcept { return at(i).child[side]; }
  Index parent(Index i) const noexcept { return at(i).up >> 1; }

  /// Returns: the parity of the rank; that of no node, whose rank is -1, is odd.
  bool parity(Index i) const noexcept { return i == nil || (at(i).up & 1); }

  /// Returns: the node furthest to one side below `i`, which is a node.
  Index outermost(Index i, bool side) const noexcept {
    while (child(i, side) != nil) i = child(i, side);
    return i;
  }

  /// Returns: the next node in order, backwards if not `forward`; nil after the last.
  Index next(Index i, bool forward = true) const noexcept {
    if (child(i, forward) != nil) return outermost(child(i, forward), !forward);
    Index p = parent(i);
    while (p != nil && child(p, forward) == i) {
      i = p;
      p = parent(p);
    }
    return p;
  }

  /// Effects: node `x` becomes a leaf below `p` where no node is, or the root if `p` is nil.
  void insert(Index x, Index p, bool side) noexcept {
    at(x) = {{nil, nil}, static_cast<Index>(p << 1)};
    if (p == nil)
      nodes_.root() = x;
    else
      at(p).child[side] = x;
    // The same parity means that x has the rank of its parent.
    while (p != nil && parity(p) == parity(x)) {
      const bool s = side_of(x, p);
      if (parity(child(p, !s)) == parity(p)) return rotate_after_insert(x, p, s);
      flip(p);  // promote
      x = p;
      p = parent(x);
    }
  }

  /// Effects: takes node `z` out of the tree. No other node changes its place in memory.
  void erase(Index z) noexcept {
    const tree_links<Index> links = at(z);
    const Index p = links.up >> 1;
    if (links.child[0] == nil || links.child[1] == nil) {
      const Index x = links.child[links.child[0] == nil];
      replace(p, z, x);
      return mend_after_erase(x, p);
    }
    const Index y = outermost(links.child[1], false);
    const Index x = child(y, true);
    Index q = y;
    if (y != links.child[1]) {
      q = parent(y);
      set_child(q, false, x);
      set_child(y, true, links.child[1]);
    }
    set_child(y, false, links.child[0]);
    replace(p, z, y);
    at(y).up = links.up;
    mend_after_erase(x, q);
  }

 private:
  tree_links<Index>& at(Index i) const noexcept { return nodes_.links(i); }
  bool side_of(Index x, Index p) const noexcept { return at(p).child[1] == x; }
  void flip(Index i) noexcept { at(i).up ^= 1; }

  void set_child(Index p, bool side, Index x) noexcept {
    at(p).child[side] = x;
    if (x != nil) set_parent(x, p);
  }
  void set_parent(Index x, Index p) noexcept {
    Index& up = at(x).up;
    up = static_cast<Index>(p << 1 | (up & 1));
  }
  /// Effects: `x` takes the place of `z` below `p`, where nil stands for the top.
  void replace(Index p, Index z, Index x) noexcept {
    if (p == nil)
      nodes_.root() = x;
    else
      at(p).child[side_of(z, p)] = x;
    if (x != nil) set_parent(x, p);
  }

  /// Effects: `x`, on that side of `p`, takes its place, and `p` goes down to the other side.
  void rotate(Index x, Index p, bool side) noexcept {
    replace(parent(p), p, x);
    set_child(p, side, child(x, !side));
    set_child(x, !side, p);
  }

  /// x has the rank of p, and its sibling is two below.
  void rotate_after_insert(Index x, Index p, bool side) noexcept {
    const Index inner = child(x, !side);
    if (parity(inner) == parity(x)) {
      rotate(x, p, side);
    } else {
      rotate(inner, x, !side);
      rotate(inner, p, side);
      flip(inner);
      flip(x);
    }
    flip(p);
  }

  /// The rank of what is at `x`, below `p`, has come down by one.
  void mend_after_erase(Index x, Index p) noexcept {
    if (p == nil) return;
    if (child(p, false) == nil && child(p, true) == nil && parity(p)) {
      flip(p);  // a leaf has rank 0
      x = p;
      p = parent(x);
    }
    // Different parity means that x, which was one or two below p, is three below.
    while (p != nil && parity(x) != parity(p)) {
      const bool side = side_of(x, p);
      const Index s = child(p, !side);
      if (parity(s) != parity(p)) {
        const bool outer_is_near = parity(child(s, !side)) != parity(s);
        if (outer_is_near || parity(child(s, side)) != parity(s))
          return rotate_after_erase(p, s, side, outer_is_near);
        flip(s);
      }
      flip(p);  // demote
      x = p;
      p = parent(x);
    }
  }

  /// The child of p on that side is three below p; its sibling s is one below.
  void rotate_after_erase(Index p, Index s, bool side, bool outer_is_near) noexcept {
    if (outer_is_near) {
      rotate(s, p, !side);
      flip(s);
      const bool is_leaf = child(p, false) == nil && child(p, true) == nil;
      if (!is_leaf) flip(p);  // a leaf comes down twice
    } else {
      const Index inner = child(s, side);
      rotate(inner, s, side);
      rotate(inner, p, !side);
      flip(s);  // inner went up by two and p down by two
    }
  }

  Nodes& nodes_;
};

}  // namespace heapsmith::detail
