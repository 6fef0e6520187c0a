// The ordered tree below `set` and `map`: searching, inserting and erasing nodes in a pool.
#pragma once

#include <algorithm>
#include <concepts>
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
  tree_node() = default;
  /// Made of a key where it will lie: a node that is put together elsewhere and copied at once is
  /// read back before its parts have left the processor's store buffer, which stalls it.
  template <class K>
    requires(!std::same_as<std::remove_cvref_t<K>, tree_node> && std::constructible_from<Key, K>)
  tree_node(K&& k) : key(std::forward<K>(k)) {}

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
    index last;
    return select_way([&](const Key& key) { return is_upper ? !less_(k, key) : less_(key, k); },
                      last);
  }

  /// Returns: the node with the key, and whether it is new; what `make` returns is its value then.
  template <class K, class Make>
  std::pair<index, bool> insert(K&& k, Make&& make) {
    const place at = place_for(k);
    if (at.found != nil) return {at.found, false};
    index x;
    if constexpr (std::is_void_v<Value>)
      x = allocate(std::forward<K>(k));
    else
      x = allocate(std::forward<K>(k), make());
    if (is_worth_selecting()) note_order(x, at.last);
    balance(*this).insert(x, at.last, at.side);
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
    if (root_ != nil) links(root_).up = static_cast<index>(nil << 2 | (links(root_).up & 3));
    guard.is_needed = false;
  }

  /// Returns: a node that is not linked yet.
  template <class K, class... Values>
  index allocate(K&& k, Values&&... value) {
    return within_limit(pool_.allocate_end(std::forward<K>(k), std::forward<Values>(value)...));
  }

 private:
  /// Where a search ends: the node with the key, or where a node with it would be.
  struct place {
    index found;
    index last;
    bool side;
  };

  /// A search branches at every level: the processor guesses the way and is ahead of the loads. An
  /// insertion into a tree of more nodes than this guesses wrong too often, and it is faster to
  /// select the child without a branch; but not where every node has a cache line or more to
  /// itself, as only a guess begins to load the next one early; nor when keys come in order, as
  /// those before told the way.
  static constexpr std::size_t guessing_limit = 16384;
  static constexpr std::size_t node_stride =
      pool_type::is_soa ? sizeof(tree_node<Key, index>) : sizeof(node);

  [[nodiscard]] bool is_worth_selecting() const noexcept {
    return node_stride <= 64 && pool_.size() > guessing_limit;
  }

  /// Keys come in order, upwards, downwards or both in turns, if a new node's parent is one of the
  /// last two. These are compared and never looked at: they may be gone.
  void note_order(index x, index parent) noexcept {
    comes_in_order_ = parent == latest_ || parent == latest_but_one_;
    latest_but_one_ = std::exchange(latest_, x);
  }

  template <class K>
  place place_for(const K& k) const {
    if (is_worth_selecting() && !comes_in_order_) {
      index last = nil;
      const index i = select_way([&](const Key& key) { return less_(key, k); }, last);
      return {i == nil || less_(k, key(i)) ? nil : i, last, last != i};
    }
    index p = nil;
    bool side = false;
    for (index i = root_; i != nil;) {
      const auto& n = parts::hot(pool_, i);
      if (less_(k, n.key))
        side = false;
      else if (less_(n.key, k))
        side = true;
      else
        return {i, nil, false};
      p = i;
      i = n.links.child[side];
    }
    return {nil, p, side};
  }

  /// Returns: the first node whose key is not before what is looked for; `last` is the lowest one
  /// that was asked.
  template <class Before>
  [[gnu::noinline]] index select_way(Before is_before, index& last) const {
    index bound = nil;
    for (index i = root_; i != nil;) {
      const auto& n = parts::hot(pool_, i);
      const index left = n.links.child[0], right = n.links.child[1];
      const auto goes_right = static_cast<index>(-static_cast<index>(is_before(n.key)));
      last = i;
      bound = i ^ ((i ^ bound) & goes_right);
      i = left ^ ((left ^ right) & goes_right);
    }
    return bound;
  }

  balance walker() const noexcept { return balance(const_cast<tree&>(*this)); }

  /// A parent's index has two bits less than others.
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
    const index right = build_part(n - n / 2 - 1, make, right_rank);
    rank = std::max(left_rank, right_rank) + 1;
    links(i).child[0] = left;
    links(i).child[1] = right;
    // A far child is two below.
    links(i).up = static_cast<index>((rank - left_rank - 1) | (rank - right_rank - 1) << 1);
    for (const index c : {left, right})
      if (c != nil) links(c).up = static_cast<index>(i << 2 | (links(c).up & 3));
    return i;
  }

  pool_type pool_;
  index root_ = nil;
  index latest_ = nil, latest_but_one_ = nil;
  bool comes_in_order_ = false;
  [[no_unique_address]] Compare less_;
};

}  // namespace heapsmith::detail
