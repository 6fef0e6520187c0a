// The ordered tree below `set` and `map`: searching, inserting and erasing nodes in a pool.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/containers/balance.hpp"
#include "heapsmith/detail/containers/nodes.hpp"
#include "heapsmith/detail/containers/tree_search.hpp"
#include "heapsmith/detail/fatal.hpp"

namespace heapsmith::detail {

/// The hot part of a node: all that a search reads lies together, in rows and in columns.
template <class Key, class Index>
struct tree_node {
  tree_node() = default;
  /// Constructs the node from a key where it will lie. A node that is assembled elsewhere and
  /// copied at once would be read before its parts have left the store buffer, which stalls the
  /// processor.
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
  static constexpr index nil = tree_links<index>::none;
  using pool_type =
      Pool<node, Policies..., policy::one_ended, policy::keep_capacity, rooted<tree_links<index>>>;
  using parts = node_parts<pool_type, Value>;
  using balance = balanced<tree, index>;

  template <class... Arguments>
  explicit tree(const Compare& less, Arguments&&... arguments)
      : pool_(std::forward<Arguments>(arguments)...), less_(less) {}
  tree(tree&& other) noexcept
      : pool_(std::move(other.pool_)),
        added_(other.added_),
        erased_(other.erased_),
        order_(other.order_),
        less_(other.less_) {
    other.unlink();
  }
  tree& operator=(tree&& other) noexcept {
    if (this == &other) return *this;
    tree taken(std::move(other));  // `other` may lie in a node of this tree
    clear();
    pool_ = std::move(taken.pool_);
    added_ += taken.added_ - taken.erased_;
    order_ = taken.order_;
    less_ = taken.less_;
    return *this;
  }
  ~tree() { end_all(); }

  const Key& key(index i) const noexcept { return parts::hot(pool_, i).key; }
  tree_links<index>& links(index i) noexcept { return parts::hot(pool_, i).links; }
  index root() const noexcept { return pool_insides::root(pool_); }
  index& root() noexcept { return pool_insides::root(pool_); }
  /// While the pool moves its nodes, it has no root.
  std::size_t size() const noexcept { return root() == nil ? 0 : added_ - erased_; }
  /// Effects: `i` becomes the root, below which `n` nodes are linked.
  void adopt(index i, std::size_t n) noexcept {
    root() = i;
    added_ = erased_ + n;
    order_.note_many(pool_.size());
  }
  pool_type& pool() noexcept { return pool_; }
  const pool_type& pool() const noexcept { return pool_; }
  const Compare& less() const noexcept { return less_; }

  /// Returns: a number that changes with every change of the tree.
  std::size_t changes() const noexcept { return added_ + erased_; }
  /// Compares as `less` does, and aborts if that changes the tree, of which a search would follow
  /// old links. Compilers drop the check where they see into the comparison.
  struct watched {
    template <class A, class B>
    [[gnu::always_inline]] bool operator()(const A& a, const B& b) const {
      const bool is_less = of.less_(a, b);
      if (of.changes() != before) [[unlikely]]
        fatal("%s", "set or map: a comparison of keys changed the container");
      return is_less;
    }
    const tree& of;
    std::size_t before;
  };
  watched watched_less() const noexcept { return {*this, changes()}; }

  index next(index i, bool forward) const noexcept {
    return i == nil ? outermost(!forward) : walker().next(i, forward);
  }
  /// Returns: the first or the last node in order, or nil if the tree is empty.
  index outermost(bool side) const noexcept {
    return root() == nil ? nil : walker().outermost(root(), side);
  }

  template <class K>
  index find(const K& k) const {
    if (order_.way() == search_way::guess) [[likely]]
      return search(*this).guess(k);
    gap unused;
    return find_far(k, unused);
  }

  /// Returns: the first node whose key is not less than `k`, or not before or equal if `is_upper`.
  template <class K>
  index bound(const K& k, bool is_upper) const {
    index last;
    const auto less = watched_less();
    if (is_upper)
      return search(*this).select_bound([&](const Key& key) { return !less(k, key); }, last);
    return search(*this).select_bound([&](const Key& key) { return less(key, k); }, last);
  }

  /// Returns: the node with the key. If it `is_new`, `make` made its value. `make.is_quiet` says
  /// that no code of the user does.
  template <class K, class Make>
  index insert(K&& k, const Make& make, bool& is_new) {
    gap at;
    const index found = find_gap(k, at);
    is_new = found == nil;
    if (!is_new) return found;
    const std::size_t before = changes();
    index x;
    if constexpr (std::is_void_v<Value>)
      x = allocate(std::forward<K>(k));
    else
      x = allocate(std::forward<K>(k), make());
    if constexpr (!Make::is_quiet || !std::is_trivially_constructible_v<Key, K> ||
                  !pool_type::layout_type::is_plain_memory)
      if (changes() != before) [[unlikely]]
        return insert_again(x, is_new);
    link(x, at);
    return x;
  }

  void erase(index i) noexcept {
    balance(*this).erase(i);
    ++erased_;
    discard(pool_, i);
  }

  void clear() noexcept {
    end_all();
    pool_.clear();
    unlink();
  }

  /// Aborts if the tree has changed since it had this number.
  void require_unchanged(std::size_t before) const noexcept {
    if (changes() != before) [[unlikely]]
      fatal("%s", "set or map: the elements of build() changed the container");
  }
  /// Effects: builds the tree of `n` nodes that `make` allocates in order. Requires: it is empty.
  template <class Make>
  void build(std::size_t n, Make make) {
    int rank = -1;
    adopt(build_part(n, make, rank), n);
    if (root() != nil) links(root()).up = static_cast<index>(nil << 2 | (links(root()).up & 3));
  }

  /// Returns: a node that is not linked yet.
  template <class K, class... Values>
  index allocate(K&& k, Values&&... value) {
    return within_limit(pool_.emplace(std::forward<K>(k), std::forward<Values>(value)...));
  }

 private:
  using search = tree_search<tree>;
  using gap = typename search::gap;
  friend search;

  /// In rows, a node may be larger than what the processor loads for a neighbour.
  static constexpr bool is_wide = !pool_type::is_soa && sizeof(node) > 256;

  const index* children(index i) const noexcept { return parts::hot(pool_, i).links.child; }
  [[gnu::always_inline]] inline void prefetch(index i) const noexcept { pool_.prefetch(i); }

  template <class K>
  [[gnu::always_inline]] inline index find_gap(const K& k, gap& at) const {
    if (order_.way() == search_way::guess) [[likely]]
      return search(*this).template guess<false>(k, at);
    gap far;  // so that `at` may stay in registers
    const index found = find_far(k, far);
    at = far;
    return found;
  }

  /// Not inlined, so that a short way stays short.
  template <class K>
  [[gnu::noinline]] index find_far(const K& k, gap& at) const {
    if (order_.way() == search_way::select) return search(*this).select(k, at);
    return search(*this).template guess<true>(k, at);
  }

  void unlink() noexcept {
    erased_ = ++added_;  // a change, also of an empty tree
    root() = nil;
  }
  void end_all() noexcept {
    end_nodes(pool_, [this] { unlink(); });
  }

  void link(index x, const gap& at) noexcept {
    order_.note(x, at.parent, pool_.size());
    balance(*this).insert(x, at.parent, at.side);
    ++added_;
  }
  /// Whether `x` is still the node that was allocated last, of which only its maker knows.
  bool is_pending(index x) const noexcept {
    return pool_.contains(x) && !parts::hot(pool_, x).links.is_linked();
  }
  /// The constructor of node `x` has changed the tree: its place is searched again.
  [[gnu::cold, gnu::noinline]] index insert_again(index x, bool& is_new) {
    struct undo {
      tree& t;
      index x;
      ~undo() {
        if (x != nil && t.is_pending(x)) discard(t.pool_, x);
      }
    } guard{*this, x};
    if (!is_pending(x))
      fatal("%s", "set or map: cleared or moved by a destructor, during insert()");
    gap at;
    const index found = find_far(key(x), at);
    is_new = found == nil;
    if (is_new) {
      guard.x = nil;
      link(x, at);
      return x;
    }
    const std::size_t before = changes();
    discard(pool_, std::exchange(guard.x, nil));
    if (changes() != before)
      fatal("%s", "set or map: a destructor changed the container during insert()");
    return found;
  }

  balance walker() const noexcept { return balance(const_cast<tree&>(*this)); }

  /// The index of a parent has two bits less than others.
  index within_limit(index i) {
    if (i >= nil) [[unlikely]] {
      pool_.pop_back();
      raise(std::bad_alloc());
    }
    return i;
  }

  /// Returns: the root of the next `n` nodes in order, and its rank, which is its height. The
  /// halves differ by at most one node, so by at most one in height.
  template <class Make>
  index build_part(std::size_t n, Make& make, int& rank) {
    rank = -1;
    if (n == 0) return nil;
    int left_rank, right_rank;
    const index left = build_part(n / 2, make, left_rank);
    const index i = make();
    const index right = build_part(n - n / 2 - 1, make, right_rank);
    rank = (left_rank < right_rank ? right_rank : left_rank) + 1;
    links(i).child[0] = left;
    links(i).child[1] = right;
    // A far child is two below.
    links(i).up = static_cast<index>((rank - left_rank - 1) | (rank - right_rank - 1) << 1);
    for (const index c : {left, right})
      if (c != nil) links(c).up = static_cast<index>(i << 2 | (links(c).up & 3));
    return i;
  }

  pool_type pool_;
  std::size_t added_ = 0;   // nodes that were linked, ever
  std::size_t erased_ = 0;  // and those of them that were erased
  key_order<index, is_wide> order_;
  [[no_unique_address]] Compare less_;
};

}  // namespace heapsmith::detail
