// Ways down an ordered tree: guessed by the processor, or selected without a branch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/assign_if.hpp"

namespace heapsmith::detail {

/**
 * To guess is to branch at every level: the processor runs ahead of the loads, and on the right way
 * if the keys before told it. Keys in no order are guessed wrong at every other level. To select
 * takes a conditional move instead; as the next node is not known before the key of this one is,
 * both children are asked for as soon as their parent is there.
 */
enum class search_way : std::uint8_t {
  guess,
  guess_ahead,  // and both children are asked for: nodes are so large that each is a miss
  select,
};

/// Chooses the way by the order of the keys that came before.
template <class Index, bool IsWide>
class key_order {
 public:
  [[nodiscard]] search_way way() const noexcept { return way_; }

  /// Keys come in order, upwards, downwards or both in turns, if a new node's parent is one of the
  /// last two. These are compared and never looked at: they may be gone.
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

  /// So many keys have come at once: those that are looked for may have no order.
  void note_many(std::size_t size) noexcept {
    way_ = size <= short_limit ? search_way::guess : search_way::select;
  }

 private:
  static constexpr std::size_t short_limit = 32;   // all ways are soon known
  static constexpr std::size_t far_limit = 16384;  // the caches do not hold so many wide nodes

  Index latest_[2] = {};
  search_way way_ = search_way::guess;
};

/// `Tree` has `root()`, `key(i)`, `children(i)`, `less()` and `prefetch(i)`.
template <class Tree>
class tree_search {
  using index = typename Tree::index;
  static constexpr index nil = Tree::nil;

 public:
  /// Where a node with the key would be: below that one, on that side.
  struct place {
    index parent = nil;
    bool side = false;
  };

  explicit tree_search(const Tree& tree) noexcept : tree_(tree) {}

  template <class K>
  [[gnu::always_inline]] inline index guess(const K& k) const {
    for (index i = tree_.root(); i != nil;) {
      if (tree_.less()(k, tree_.key(i)))
        i = tree_.children(i)[0];
      else if (tree_.less()(tree_.key(i), k))
        i = tree_.children(i)[1];
      else
        return i;
    }
    return nil;
  }

  /// The same; and if there is no such node, `at` is where it would be.
  template <bool LoadsAhead, class K>
  [[gnu::always_inline]] inline index guess(const K& k, place& at) const {
    index p = nil;
    bool side = false;
    for (index i = tree_.root(); i != nil;) {
      if constexpr (LoadsAhead) load_ahead(i);
      if (tree_.less()(k, tree_.key(i)))
        side = false;
      else if (tree_.less()(tree_.key(i), k))
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
  [[gnu::always_inline]] inline index select(const K& k, place& at) const {
    index last = nil;
    const index i = select_bound([&](const auto& key) { return tree_.less()(key, k); }, last);
    at = {last, last != i};
    return i == nil || tree_.less()(k, tree_.key(i)) ? nil : i;
  }

  /// Returns: the first node that is not before what is looked for; `last` is the lowest one asked.
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
