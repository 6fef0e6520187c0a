// The ordered tree below `set` and `map`: searching, inserting and erasing nodes in a pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "heapsmith/containers/detail/balance.hpp"
#include "heapsmith/containers/detail/nodes.hpp"
#include "heapsmith/detail/stop.hpp"

namespace heapsmith::detail {

/// The hot part of a node: what a search reads lies together, in rows and in columns.
template <class Key, class Index>
struct tree_node {
  Key key;
  tree_links<Index> links;
};

/// `Value` is void for sets.
template <class Key, class Value, class Compare, template <class, class...> class Pool,
          class... Policies>
class tree {
  template <class Index>
  using node_of = split_node<tree_node<Key, Index>, Value>;
  using index_type_of = typename Pool<int, Policies...>::index_type;

 public:
  using index = index_type_of;
  using node = node_of<index>;
  using pool_type = Pool<node, Policies..., policy::one_ended, policy::keep_capacity>;
  using parts = node_parts<pool_type, Value>;
  using balance = balanced<tree, index>;
  static constexpr index nil = balance::nil;

  template <class... Arguments>
  explicit tree(const Compare& less, Arguments&&... arguments)
      : pool_(std::forward<Arguments>(arguments)...), less_(less) {}
  tree(tree&& other) noexcept
      : pool_(std::move(other.pool_)), root_(std::exchange(other.root_, nil)), less_(other.less_) {}
  tree& operator=(tree&& other) noexcept {
    pool_ = std::move(other.pool_);
    root_ = std::exchange(other.root_, nil);
    less_ = other.less_;
    return *this;
  }
  ~tree() = default;

  const Key& key(index i) const noexcept { return parts::hot(pool_, i).key; }
  tree_links<index>& links(index i) noexcept { return parts::hot(pool_, i).links; }
  index& root() noexcept { return root_; }
  index root() const noexcept { return root_; }
  pool_type& pool() noexcept { return pool_; }
  const pool_type& pool() const noexcept { return pool_; }
  const Compare& less() const noexcept { return less_; }

  index next(index i, bool forward) const noexcept {
    return i == nil ? outermost(!forward) : walker().next(i, forward);
  }
  /// Returns: the first or the last node in order, nil when there is none.
  index outermost(bool side) const noexcept {
    return root_ == nil ? nil : walker().outermost(root_, side);
  }

  template <class K>
  index find(const K& k) const {
    if (pool_.size() > guessing_limit) {
      const index i = bound(k, false);
      return i == nil || less_(k, key(i)) ? nil : i;
    }
    for (index i = root_; i != nil;) {
      const auto& n = parts::hot(pool_, i);
      if (less_(k, n.key))
        i = n.links.child[0];
      else if (less_(n.key, k))
        i = n.links.child[1];
      else
        return i;
    }
    return nil;
  }

  /// Returns: the first node whose key is not less than `k`, or not before or equal if `is_upper`.
  template <class K>
  index bound(const K& k, bool is_upper) const {
    index best = nil;
    for (index i = root_; i != nil;) {
      const auto& n = parts::hot(pool_, i);
      const bool goes_right = is_upper ? !less_(k, n.key) : less_(n.key, k);
      if (!goes_right) best = i;
      i = n.links.child[goes_right];
    }
    return best;
  }

  /// Returns: the node with the key, and whether it is new; what `make` returns is its value then.
  template <class K, class Make>
  std::pair<index, bool> insert(K&& k, Make&& make) {
    index p = nil;
    bool side = false;
    for (index i = root_; i != nil;) {
      const auto& n = parts::hot(pool_, i);
      if (less_(k, n.key))
        side = false;
      else if (less_(n.key, k))
        side = true;
      else
        return {i, false};
      p = i;
      i = n.links.child[side];
    }
    index x;
    if constexpr (std::is_void_v<Value>)
      x = allocate(std::forward<K>(k));
    else
      x = allocate(std::forward<K>(k), make());
    balance(*this).insert(x, p, side);
    return {x, true};
  }

  void erase(index i) noexcept {
    balance(*this).erase(i);
    discard(pool_, i);
  }

  void clear() noexcept {
    pool_.clear();
    root_ = nil;
  }

  /// Effects: the tree of `n` nodes that `make` allocates in order. Requires: it is empty.
  template <class Make>
  void build(std::size_t n, Make make) {
    struct undo {
      tree& t;
      bool is_needed = true;
      ~undo() {
        if (is_needed) t.clear();
      }
    } guard{*this};
    int rank = -1;
    root_ = build_part(n, make, rank);
    if (root_ != nil) links(root_).up = static_cast<index>(nil << 1 | (links(root_).up & 1));
    guard.is_needed = false;
  }

  /// Returns: a node that is not linked yet.
  template <class K, class... Values>
  index allocate(K&& k, Values&&... value) {
    return within_limit(pool_.allocate_end(tree_node<Key, index>{Key(std::forward<K>(k)), {}},
                                           std::forward<Values>(value)...));
  }

 private:
  /// Up to here a search branches at every level: the processor guesses the way and is ahead of the
  /// loads. In a larger tree it guesses wrong too often, and bound(), which selects the child
  /// without a branch, is faster.
  static constexpr std::size_t guessing_limit = 16384;

  balance walker() const noexcept { return balance(const_cast<tree&>(*this)); }

  /// A parent's index has one bit less than others.
  index within_limit(index i) {
    if (i >= nil) [[unlikely]] {
      pool_.deallocate_end();
      raise(std::bad_alloc());
    }
    return i;
  }

  /// Returns: the root of the next `n` nodes in order, and its rank, which is its height: halves
  /// differ by one node at most, and so by one in height.
  template <class Make>
  index build_part(std::size_t n, Make& make, int& rank) {
    rank = -1;
    if (n == 0) return nil;
    int left_rank, right_rank;
    const index left = build_part(n / 2, make, left_rank);
    const index i = make();
    links(i) = {{left, nil}, 0};
    const index right = build_part(n - n / 2 - 1, make, right_rank);
    links(i).child[1] = right;
    rank = std::max(left_rank, right_rank) + 1;
    links(i).up = static_cast<index>(rank & 1);
    for (const index c : {left, right})
      if (c != nil) links(c).up = static_cast<index>(i << 1 | (links(c).up & 1));
    return i;
  }

  pool_type pool_;
  index root_ = nil;
  [[no_unique_address]] Compare less_;
};

}  // namespace heapsmith::detail
