// Other ways to keep a tree of index-linked nodes low, with the interface of detail::balanced.
#pragma once

#include <cstdint>

#include "heapsmith/detail/containers/balance.hpp"

namespace designs {

/// What all trees with parent links have in common. The lower two bits of `up` are the design's.
template <class Nodes>
class linked {
 public:
  using index = std::uint32_t;
  using links = heapsmith::detail::tree_links<index>;
  static constexpr index nil = links::none;

  explicit linked(Nodes& nodes) : nodes_(nodes) {}

 protected:
  links& at(index i) const { return nodes_.links(i); }
  index child(index i, bool side) const { return at(i).child[side]; }
  index parent(index i) const { return at(i).up >> 2; }
  bool side_of(index x, index p) const { return at(p).child[1] == x; }
  void set_parent(index x, index p) { at(x).up = p << 2 | (at(x).up & 3); }
  void set_child(index p, bool side, index x) {
    at(p).child[side] = x;
    if (x != nil) set_parent(x, p);
  }
  /// Effects: `x`, or none, is below `p` where `z` was; nil stands for the top.
  void replace(index p, index z, index x) {
    if (p == nil)
      nodes_.root() = x;
    else
      at(p).child[side_of(z, p)] = x;
    if (x != nil) set_parent(x, p);
  }
  /// Effects: `x` takes the place of its parent, which becomes its child.
  void raise(index x) {
    const index p = parent(x);
    const bool side = side_of(x, p);
    replace(parent(p), p, x);
    set_child(p, side, child(x, !side));
    set_child(x, !side, p);
  }
  void hang(index x, index p, bool side, index bits) {
    at(x).up = p << 2 | bits;
    if (p == nil)
      nodes_.root() = x;
    else
      at(p).child[side] = x;
  }

  Nodes& nodes_;
};

/// A red-black tree (Guibas and Sedgewick, 1978), mended from below.
template <class Nodes>
class red_black : linked<Nodes> {
  using base = linked<Nodes>;
  using base::at, base::child, base::parent, base::side_of, base::raise;
  using typename base::index;

 public:
  using base::nil, base::linked;

  void insert(index x, index p, bool side) {
    base::hang(x, p, side, 1);
    for (; (p = parent(x)) != nil && is_red(p);) {
      const index g = parent(p);
      const bool s = side_of(p, g);
      const index uncle = child(g, !s);
      if (is_red(uncle)) {
        paint(p, 0), paint(uncle, 0), paint(g, 1);
        x = g;
        continue;
      }
      if (side_of(x, p) != s) {
        raise(x);
        p = x;
      }
      raise(p);
      paint(p, 0), paint(g, 1);
      return;
    }
    paint(base::nodes_.root(), 0);
  }

  void erase(index z) {
    const index left = child(z, false), right = child(z, true);
    index x, p;
    bool side, was_red;
    if (left == nil || right == nil) {
      x = left == nil ? right : left;
      p = parent(z);
      side = p != nil && side_of(z, p);
      was_red = is_red(z);
      base::replace(p, z, x);
    } else {
      index y = right;
      while (child(y, false) != nil) y = child(y, false);
      was_red = is_red(y);
      x = child(y, true);
      p = parent(y) == z ? y : parent(y);
      side = p == y;
      if (p != y) {
        base::set_child(p, false, x);
        base::set_child(y, true, right);
      }
      base::replace(parent(z), z, y);
      base::set_child(y, false, left);
      paint(y, is_red(z));
    }
    if (!was_red) mend(x, p, side);
  }

 private:
  bool is_red(index i) const { return i != nil && (at(i).up & 1); }
  void paint(index i, index red) { at(i).up = (at(i).up & ~index{1}) | red; }

  /// There is a black node too few on the way to `x`, on that side of `p`.
  void mend(index x, index p, bool side) {
    while (p != nil && !is_red(x)) {
      index s = child(p, !side);
      if (is_red(s)) {
        paint(s, 0), paint(p, 1);
        raise(s);
        s = child(p, !side);
      }
      const index inner = child(s, side), outer = child(s, !side);
      if (!is_red(inner) && !is_red(outer)) {
        paint(s, 1);
        x = p;
        p = parent(x);
        side = p != nil && side_of(x, p);
        continue;
      }
      if (!is_red(outer)) {
        paint(inner, 0), paint(s, 1);
        raise(inner);
        s = inner;
      }
      paint(s, is_red(p)), paint(p, 0), paint(child(s, !side), 0);
      return raise(s);
    }
    if (x != nil) paint(x, 0);
  }
};

/// A treap (Seidel and Aragon, 1996), whose priorities are hashes of the indices.
template <class Nodes>
class treap : linked<Nodes> {
  using base = linked<Nodes>;
  using base::child, base::parent, base::raise;
  using typename base::index;

 public:
  using base::nil, base::linked;

  void insert(index x, index p, bool side) {
    base::hang(x, p, side, 0);
    while ((p = parent(x)) != nil && priority(x) > priority(p)) raise(x);
  }
  void erase(index z) {
    while (child(z, false) != nil && child(z, true) != nil)
      raise(child(z, priority(child(z, true)) > priority(child(z, false))));
    const index x = child(z, child(z, false) == nil);
    base::replace(parent(z), z, x);
  }

 private:
  static std::uint32_t priority(index i) {
    std::uint32_t h = (i + 1) * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    return h ^ h >> 13;
  }
};

}  // namespace designs
