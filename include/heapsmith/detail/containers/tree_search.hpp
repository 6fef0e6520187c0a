// Ways down an ordered tree: guessed by the processor, or selected without a branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heapsmith/detail/containers/assign_if.hpp"

namespace heapsmith::detail {

/**
 * `guess` branches at every level: the processor predicts the branch and runs ahead of the loads.
 * If keys come in no order, every other prediction is wrong. `select` uses a conditional move
 * instead. The next node is then not known before the key of this one, so both children are loaded
 * as soon as their parent is.
 */
enum class search_way : std::uint8_t {
  guess,
  guess_ahead,  // and loads both children: nodes are so large that each is a miss
  select,
};

/// Chooses the way by the order of the keys that came before.
template <class Index, bool IsWide>
class key_order {
 public:
  [[nodiscard]] search_way way() const noexcept { return way_; }

  /// Keys come in order, upwards, downwards or both in turns, if the parent of a new node is one of
  /// the last two nodes. Only the indices of those are compared, because they may be erased.
  void note(Index x, Index parent, std::size_t size) noexcept {
    if (size <= short_limit) {
      way_ = search_way::guess;
      return;
    }
    const bool is_in_order = parent == latest_[0] || parent == latest_[1];
    latest_[size % 2] = x;
    if (!is_in_order)
      way_ = search_way::select;
    else
      way_ = IsWide && size > far_limit ? search_way::guess_ahead : search_way::guess;
  }

  /// Many keys have come at once; later ones may be in any order.
  void note_many(std::size_t size) noexcept {
    way_ = size <= short_limit ? search_way::guess : search_way::select;
  }

 private:
  static constexpr std::size_t short_limit = 32;   // branches are soon predicted
  static constexpr std::size_t far_limit = 16384;  // the caches do not hold so many wide nodes

  Index latest_[2] = {};
  search_way way_ = search_way::guess;
};

/// `Tree` has `root()`, `key(i)`, `children(i)`, `watched_less()` and `prefetch(i)`.
template <class Tree>
class tree_search {
  using index = typename Tree::index;
  static constexpr index nil = Tree::nil;

 public:
  /// Where a node with the key belongs: below `parent`, on that side.
  struct gap {
    index parent = nil;
    bool side = false;
  };

  explicit tree_search(const Tree& tree) noexcept : tree_(tree) {}

  template <class K>
  [[gnu::always_inline]] inline index guess(const K& k) const {
    const auto less = tree_.watched_less();
    for (index i = tree_.root(); i != nil;) {
      if (less(k, tree_.key(i)))
        i = tree_.children(i)[0];
      else if (less(tree_.key(i), k))
        i = tree_.children(i)[1];
      else
        return i;
    }
    return nil;
  }

  /// The same. If no node has the key, `at` says where it belongs.
  template <bool LoadsAhead, class K>
  [[gnu::always_inline]] inline index guess(const K& k, gap& at) const {
    const auto less = tree_.watched_less();
    index p = nil;
    bool side = false;
    for (index i = tree_.root(); i != nil;) {
      if constexpr (LoadsAhead) load_ahead(i);
      if (less(k, tree_.key(i)))
        side = false;
      else if (less(tree_.key(i), k))
        side = true;
      else
        return i;
      p = i;
      i = tree_.children(i)[side];
    }
    at = {p, side};
    return nil;
  }

  template <class K>
  [[gnu::always_inline]] inline index select(const K& k, gap& at) const {
    // A copy of a number stays in a register, for all that compilers know about comparisons.
    const std::conditional_t<std::is_scalar_v<K>, K, const K&> wanted = k;
    const auto less = tree_.watched_less();
    index last = nil;
    const index i = select_bound([&](const auto& key) { return less(key, wanted); }, last);
    at = {last, last != i};
    return i == nil || less(wanted, tree_.key(i)) ? nil : i;
  }

  /// Returns: the first node that is not before the key; `last` is the last node compared.
  template <class Before>
  [[gnu::always_inline]] inline index select_bound(Before is_before, index& last) const {
    index bound = nil;
    for (index i = tree_.root(); i != nil;) {
      load_ahead(i);
      const bool goes_right = is_before(tree_.key(i));
      index next = tree_.children(i)[0];
      last = i;
      assign_if(goes_right, next, tree_.children(i)[1], i, bound);
      bound = i;
      i = next;
    }
    return bound;
  }

 private:
  [[gnu::always_inline]] inline void load_ahead(index i) const noexcept {
    tree_.prefetch(tree_.children(i)[0]);
    tree_.prefetch(tree_.children(i)[1]);
  }

  const Tree& tree_;
};

}  // namespace heapsmith::detail
