// Keeps a binary tree of index-linked nodes balanced by ranks, without recursion.
#pragma once

#include <limits>

namespace heapsmith::detail {

/// The links of a node in a tree: 12 bytes with 32-bit indices. `none` stands for no child.
template <class Index>
struct tree_links {
  static constexpr Index none = std::numeric_limits<Index>::max() >> 2;

  Index child[2] = {none, none};
  // The parent, shifted by two bits, which say which child is far. A node that is not linked has
  // two far children and no child, which no node of a tree has.
  Index up = 3;

  [[nodiscard]] bool is_linked() const noexcept {
    return (up & 3) != 3 || child[0] != none || child[1] != none;
  }
};

/**
 * A weak AVL tree (Haeupler, Sen and Tarjan, 2015): every node has a rank; a leaf has 0, and a
 * missing child counts as -1.
 *
 * Invariants: rank_rule, a rank is 1 or 2 more than that of each child; leaf_rule, a leaf's rank
 * is 0. So the height is at most twice the binary logarithm of the size, and that of an AVL tree if
 * nothing was ever erased. An insertion or an erasure takes at most two rotations.
 *
 * Only differences of ranks are stored: a child that is two below its parent is *far*, and a bit of
 * the parent says so. Whether a node is in balance shows without a look at its children.
 *
 * `Nodes` has `links(i)`, a reference to the tree_links of node `i`, and `root()`, one to the root.
 */
template <class Nodes, class Index>
class balanced {
 public:
  /// No node.
  static constexpr Index nil = tree_links<Index>::none;

  explicit balanced(Nodes& nodes) noexcept : nodes_(nodes) {}

  Index child(Index i, bool side) const noexcept { return at(i).child[side]; }
  Index parent(Index i) const noexcept { return at(i).up >> 2; }
  bool is_far(Index i, bool side) const noexcept { return at(i).up >> side & 1; }

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

  /// Effects: the fresh node `x` becomes a leaf below `p`, or the root if `p` is nil. Requires: `p`
  /// has no child on that side.
  void insert(Index x, Index p, bool side) noexcept {
    at(x).up = static_cast<Index>(p << 2);
    if (p == nil) {
      nodes_.root() = x;
      return;
    }
    at(p).child[side] = x;
    while (true) {  // x has come up by one
      Index& up = at(p).up;
      const Index mine = bit(side);
      if (up & mine) {
        up ^= mine;
        return;
      }
      if (up & 3) return rotate_after_insert(x, p, side);
      up ^= mine ^ 3;  // promote p: the sibling is far
      x = p;
      p = up >> 2;
      if (p == nil) return;
      side = side_of(x, p);
    }
  }

  /// Effects: takes node `z` out of the tree. No other node moves in memory.
  void erase(Index z) noexcept {
    const Index left = child(z, false), right = child(z, true), p = parent(z);
    if (left == nil || right == nil) {
      // Its only child, or none, is one below it.
      const Index x = left == nil ? right : left;
      if (p == nil) {
        nodes_.root() = x;
        if (x != nil) set_parent(x, nil);
        return;
      }
      const bool side = side_of(z, p);
      set_child(p, side, x);
      return mend_after_erase(p, side);
    }
    const Index y = outermost(right, false), q = parent(y);
    replace(p, z, y);
    if (q != z) {
      set_child(q, false, child(y, true));
      set_child(y, true, right);
    }
    set_child(y, false, left);
    at(y).up = at(z).up;
    mend_after_erase(q == z ? y : q, q == z);
  }

 private:
  using links = tree_links<Index>;

  links& at(Index i) const noexcept { return nodes_.links(i); }
  bool side_of(Index x, Index p) const noexcept { return at(p).child[1] == x; }
  /// The bit of `up` that says whether the child on that side is far.
  static constexpr Index bit(bool side) noexcept { return static_cast<Index>(1 + side); }

  void set_child(Index p, bool side, Index x) noexcept {
    at(p).child[side] = x;
    if (x != nil) set_parent(x, p);
  }
  void set_parent(Index x, Index p) noexcept {
    Index& up = at(x).up;
    up = static_cast<Index>(p << 2 | (up & 3));
  }
  /// Effects: `x` is below `p` where `z` was; nil stands for the top.
  void replace(Index p, Index z, Index x) noexcept {
    if (p == nil)
      nodes_.root() = x;
    else
      at(p).child[side_of(z, p)] = x;
  }
  /// The bits of a node whose children are far or near.
  static constexpr Index far_bits(bool side, bool is_far, bool other_is_far) noexcept {
    return static_cast<Index>((is_far ? bit(side) : 0) | (other_is_far ? bit(!side) : 0));
  }

  /// x has the rank of p, and its sibling is far.
  void rotate_after_insert(Index x, Index p, bool side) noexcept {
    const Index up = at(p).up >> 2, inner = child(x, !side);
    if (is_far(x, !side)) {
      replace(up, p, x);
      set_child(p, side, inner);
      at(x).child[!side] = p;
      at(x).up = static_cast<Index>(up << 2);
      at(p).up = static_cast<Index>(x << 2);
    } else {
      const bool outer_far = is_far(inner, side), inner_far = is_far(inner, !side);
      replace(up, p, inner);
      set_child(p, side, child(inner, !side));
      set_child(x, !side, child(inner, side));
      at(inner).child[side] = x;
      at(inner).child[!side] = p;
      at(inner).up = static_cast<Index>(up << 2);
      at(x).up = static_cast<Index>(inner << 2) | far_bits(!side, outer_far, false);
      at(p).up = static_cast<Index>(inner << 2) | far_bits(side, inner_far, false);
    }
  }

  /// The rank of what is on that side of `p` has come down by one.
  void mend_after_erase(Index p, bool side) noexcept {
    while (true) {
      links& n = at(p);
      const Index mine = bit(side);
      if (!(n.up & mine)) {
        n.up |= mine;
        if (n.child[0] != nil || n.child[1] != nil) return;
        n.up &= ~Index{3};  // a leaf has rank 0
      } else if (n.up & (mine ^ 3)) {
        n.up ^= mine ^ 3;  // demote p, which was three above, and two above the sibling
      } else {
        Index& sibling = at(n.child[!side]).up;
        if ((sibling & 3) != 3) return rotate_after_erase(p, side);
        sibling ^= 3;  // demote both
      }
      const Index x = p;
      p = n.up >> 2;
      if (p == nil) return;
      side = side_of(x, p);
    }
  }

  /// The child of p on that side is three below p; its sibling s is one below.
  void rotate_after_erase(Index p, bool side) noexcept {
    const Index s = child(p, !side), up = at(p).up >> 2, inner = child(s, side);
    if (!is_far(s, !side)) {
      const bool inner_far = is_far(s, side);
      replace(up, p, s);
      set_child(p, !side, inner);
      at(s).child[side] = p;
      const bool is_leaf = inner == nil && child(p, side) == nil;  // comes down twice
      at(s).up = static_cast<Index>(up << 2) | far_bits(side, is_leaf, true);
      at(p).up = static_cast<Index>(s << 2) | far_bits(side, !is_leaf, inner_far && !is_leaf);
    } else {
      const bool near_p = is_far(inner, side), near_s = is_far(inner, !side);
      replace(up, p, inner);
      set_child(p, !side, child(inner, side));
      set_child(s, side, child(inner, !side));
      at(inner).child[side] = p;
      at(inner).child[!side] = s;
      at(inner).up = static_cast<Index>(up << 2 | 3);
      at(p).up = static_cast<Index>(inner << 2) | far_bits(!side, near_p, false);
      at(s).up = static_cast<Index>(inner << 2) | far_bits(side, near_s, false);
    }
  }

  Nodes& nodes_;
};

}  // namespace heapsmith::detail
