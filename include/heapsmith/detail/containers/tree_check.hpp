// Walks an ordered tree and reports which invariant does not hold; it trusts no link.
#pragma once

#include <bit>
#include <cstddef>

namespace heapsmith::detail {

template <class Tree>
class tree_check {
  using index = typename Tree::index;
  static constexpr index nil = Tree::nil;

 public:
  explicit tree_check(const Tree& tree) noexcept : tree_(const_cast<Tree&>(tree)) {}

  /// Returns: 0, or 20 for a link that does not lead to a node, 21 a parent, 22 the order, 23 a
  /// rank, 24 the size.
  int run(std::size_t size) {
    most_deep_ = 2 * static_cast<std::size_t>(std::bit_width(tree_.pool().size())) + 2;
    int rank = -1;
    walk(tree_.root(), nil, nil, nil, 1, rank);
    if (broken_ == 0 && count_ != size) broken_ = 24;
    return broken_;
  }

  /// Returns: the number of nodes that can be reached.
  std::size_t count() {
    static_cast<void>(run(0));
    return count_;
  }
  std::size_t height() {
    static_cast<void>(run(0));
    return deepest_;
  }

 private:
  /// Visits `i`, whose keys lie between those of `low` and `high`. A node has one parent and two
  /// different children, or is refused: so the walk visits no node twice. It goes no deeper than
  /// balance allows.
  void walk(index i, index parent, index low, index high, std::size_t depth, int& rank) {
    rank = -1;
    if (i == nil || broken_ != 0) return;
    if (depth > most_deep_) return fail(23);
    if (!tree_.pool().contains(i)) return fail(20);
    const auto links = tree_.links(i);
    const index left = links.child[0], right = links.child[1];
    if (links.up >> 2 != parent || (left == right && left != nil)) return fail(21);
    const auto less = tree_.watched_less();
    if ((low != nil && !less(tree_.key(low), tree_.key(i))) ||
        (high != nil && !less(tree_.key(i), tree_.key(high))))
      return fail(22);
    ++count_;
    if (deepest_ < depth) deepest_ = depth;
    int left_rank, right_rank;
    walk(left, i, low, i, depth + 1, left_rank);
    walk(right, i, i, high, depth + 1, right_rank);
    rank = left_rank + 1 + (links.up & 1);
    const int other = right_rank + 1 + (links.up >> 1 & 1);
    const bool is_leaf = left == nil && right == nil;
    if (rank != other || (is_leaf && rank != 0)) fail(23);
  }

  void fail(int what) noexcept {
    if (broken_ == 0) broken_ = what;
  }

  Tree& tree_;
  std::size_t most_deep_ = 0;
  std::size_t count_ = 0;
  std::size_t deepest_ = 0;
  int broken_ = 0;
};

}  // namespace heapsmith::detail
