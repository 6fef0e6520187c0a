// Shared by `set` and `map`: searching, walking and erasing in order, copies and images.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/containers/tree.hpp"
#include "heapsmith/detail/containers/tree_check.hpp"

namespace heapsmith::detail {

/// Goes over the nodes of a tree in the order of their keys. Valid until its node is erased.
template <class Tree, class Reference>
class ordered_iterator {
  using index = typename Tree::index;
  static constexpr bool is_lvalue = std::is_reference_v<Reference>;

  struct arrow {
    Reference row;
    Reference* operator->() noexcept { return &row; }
  };

 public:
  using value_type = std::remove_cvref_t<Reference>;
  using reference = Reference;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::bidirectional_iterator_tag;
  using iterator_category =
      std::conditional_t<is_lvalue, std::bidirectional_iterator_tag, std::input_iterator_tag>;

  ordered_iterator() = default;
  ordered_iterator(Tree* tree, index at) noexcept : tree_(tree), at_(at) {}
  template <class Other>
    requires(std::is_const_v<Tree> && std::convertible_to<Other, Reference>)
  ordered_iterator(const ordered_iterator<std::remove_const_t<Tree>, Other>& other) noexcept
      : tree_(other.tree()), at_(other.index_of()) {}

  /// Returns: the slot of the node.
  [[nodiscard]] index index_of() const noexcept { return at_; }
  [[nodiscard]] Tree* tree() const noexcept { return tree_; }

  Reference operator*() const noexcept {
    if constexpr (is_lvalue)
      return tree_->key(at_);
    else
      return Reference(tree_->key(at_), Tree::parts::value(tree_->pool(), at_));
  }
  auto operator->() const noexcept {
    if constexpr (is_lvalue)
      return &**this;
    else
      return arrow{**this};
  }

  ordered_iterator& operator++() noexcept {
    at_ = tree_->next(at_, true);
    return *this;
  }
  ordered_iterator operator++(int) noexcept {
    ordered_iterator before = *this;
    ++*this;
    return before;
  }
  ordered_iterator& operator--() noexcept {
    at_ = tree_->next(at_, false);
    return *this;
  }
  ordered_iterator operator--(int) noexcept {
    ordered_iterator before = *this;
    --*this;
    return before;
  }
  friend bool operator==(const ordered_iterator& a, const ordered_iterator& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  Tree* tree_ = nullptr;
  index at_ = Tree::nil;
};

template <class Derived, class Tree, class Reference, class ConstReference>
class ordered {
 public:
  using tree_type = Tree;
  using pool_type = typename Tree::pool_type;
  using size_type = std::size_t;
  using reference = Reference;
  using const_reference = ConstReference;
  using iterator = ordered_iterator<Tree, Reference>;
  using const_iterator = ordered_iterator<const Tree, ConstReference>;

  [[nodiscard]] bool empty() const noexcept { return tree_.root() == Tree::nil; }
  [[nodiscard]] size_type size() const noexcept { return tree_.size(); }
  void clear() noexcept { tree_.clear(); }

  [[nodiscard]] iterator begin() noexcept { return at(tree_.outermost(false)); }
  [[nodiscard]] iterator end() noexcept { return at(Tree::nil); }
  [[nodiscard]] const_iterator begin() const noexcept { return at(tree_.outermost(false)); }
  [[nodiscard]] const_iterator end() const noexcept { return at(Tree::nil); }

  /// Keys may be anything that `Compare` compares with the keys. Complexity: logarithmic.
  template <class K>
  [[nodiscard]] iterator find(const K& k) {
    return at(tree_.find(k));
  }
  template <class K>
  [[nodiscard]] const_iterator find(const K& k) const {
    return at(tree_.find(k));
  }
  template <class K>
  [[nodiscard]] bool contains(const K& k) const {
    return tree_.find(k) != Tree::nil;
  }
  template <class K>
  [[nodiscard]] size_type count(const K& k) const {
    return contains(k);
  }
  template <class K>
  [[nodiscard]] iterator lower_bound(const K& k) {
    return at(tree_.bound(k, false));
  }
  template <class K>
  [[nodiscard]] const_iterator lower_bound(const K& k) const {
    return at(tree_.bound(k, false));
  }
  template <class K>
  [[nodiscard]] iterator upper_bound(const K& k) {
    return at(tree_.bound(k, true));
  }
  template <class K>
  [[nodiscard]] const_iterator upper_bound(const K& k) const {
    return at(tree_.bound(k, true));
  }

  /// Returns: the first and the last in order. Requires: not empty().
  [[nodiscard]] const_reference min() const noexcept { return *at(tree_.outermost(false)); }
  [[nodiscard]] const_reference max() const noexcept { return *at(tree_.outermost(true)); }

  /// Effects: erases the element with the key. Returns: the number of erased elements, 0 or 1.
  template <class K>
    requires(!std::convertible_to<const K&, const_iterator>)
  size_type erase(const K& k) {
    const auto i = tree_.find(k);
    if (i == Tree::nil) return 0;
    tree_.erase(i);
    return 1;
  }
  /// Requires: `it` refers to an element. Returns: the one after it.
  iterator erase(const_iterator it) noexcept {
    const auto after = tree_.next(it.index_of(), true);
    if constexpr (pool_type::layout_type::ends_trivially) {
      tree_.erase(it.index_of());
    } else {
      const std::size_t left = size() - 1;
      const std::size_t changes = tree_.changes() + 1;
      tree_.erase(it.index_of());
      // Each element added meanwhile is one change and one element more; an erased one is not.
      if (tree_.changes() - changes != size() - left) [[unlikely]]
        fatal("%s", "set or map: a destructor erased elements during erase(iterator)");
    }
    return at(after);
  }

  [[nodiscard]] const pool_type& pool() const noexcept { return tree_.pool(); }

  /// Returns: the same elements in the same slots. Requires: elements are trivially copyable.
  [[nodiscard]] Derived clone() const {
    Derived copy{Tree(tree_.less(), tree_.pool().clone())};
    copy.tree_.adopt(tree_.root(), size());
    return copy;
  }
  /// As those of `pool`. An image is checked when it is read: links, order and balance.
  [[nodiscard]] size_type image_bytes() const noexcept { return tree_.pool().image_bytes(); }
  void save(std::span<std::byte> out) const { tree_.pool().save(out, tree_.root()); }
  [[nodiscard]] bool load(std::span<const std::byte> image) {
    Derived fresh{Tree(tree_.less(), pool_insides::empty_copy(tree_.pool()))};
    std::uint64_t user;
    if (!fresh.tree_.pool().load(image, &user) || user > Tree::nil) return false;
    const auto root = static_cast<typename Tree::index>(user);
    fresh.tree_.adopt(root, 0);
    fresh.tree_.adopt(root, tree_check<Tree>(fresh.tree_).count());
    if (fresh.check() != 0) return false;
    static_cast<Derived&>(*this) = std::move(fresh);
    return true;
  }

  /// Returns: 0, or the number of an invariant that does not hold: those of the pool; 20 a link
  /// that does not lead to a node; 21 a parent; 22 the order; 23 rank_rule or leaf_rule; 24 the
  /// size. Complexity: linear.
  [[nodiscard]] int check() const noexcept {
    if (const int broken = tree_.pool().check(); broken != 0) return broken;
    return tree_check<Tree>(tree_).run(size());
  }
  /// Returns: the number of nodes on the longest path from the root. Complexity: linear.
  [[nodiscard]] size_type height() const noexcept { return tree_check<Tree>(tree_).height(); }

 protected:
  explicit ordered(Tree&& tree) noexcept : tree_(std::move(tree)) {}
  ordered(ordered&& other) noexcept = default;
  ordered& operator=(ordered&& other) noexcept = default;
  ~ordered() = default;

  iterator at(typename Tree::index i) noexcept { return {&tree_, i}; }
  const_iterator at(typename Tree::index i) const noexcept { return {&tree_, i}; }

  template <class K, class Make>
  std::pair<iterator, bool> put(K&& k, const Make& make) {
    bool is_new;
    const auto i = tree_.insert(std::forward<K>(k), make, is_new);
    return {at(i), is_new};
  }

  /// Effects: replaces all elements by those of an ascending range, in linear time. `make(tree, e)`
  /// allocates the node of an element. The range may be part of this container: the new elements
  /// have a pool of their own until they are complete.
  template <std::ranges::forward_range Range, class Make>
  void build_from(Range&& range, Make make) {
    if (!empty()) {
      Tree fresh(tree_.less(), pool_insides::empty_copy(tree_.pool()));
      build_in(fresh, range, make);
      tree_ = std::move(fresh);
      return;
    }
    struct undo {
      Tree* tree;
      ~undo() {
        if (tree != nullptr) tree->clear();
      }
    } guard{&tree_};
    tree_.clear();
    build_in(tree_, range, make);
    guard.tree = nullptr;
  }

  Tree tree_;

 private:
  static void build_in(Tree& tree, auto& range, auto& make) {
    const size_type changes = tree.changes();
    auto it = std::ranges::begin(range);
    const auto n = static_cast<size_type>(std::ranges::distance(range));
    tree.require_unchanged(changes);
    auto before = Tree::nil;
    tree.build(n, [&] {
      const auto i = make(tree, *it++);
      tree.require_unchanged(changes);
      if (before != Tree::nil && !tree.watched_less()(tree.key(before), tree.key(i)))
        fatal("%s", "set or map: the keys of build() are not in ascending order");
      return before = i;
    });
  }
};

}  // namespace heapsmith::detail
