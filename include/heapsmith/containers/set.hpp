// An ordered set whose nodes lie in a pool of any kind.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>

#include "heapsmith/detail/containers/ordered.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {

/**
 * Unique keys in order, in a balanced tree of nodes that are linked by their indices.
 *
 * A node has 12 bytes beside its key where indices have 32 bits, and costs no allocation: a fixed
 * pool allocates once, for all. `Pool` is any kind of typed pool; without a free list, the slots of
 * erased nodes come back only as they are the last. At most a quarter of the indices is used: 2^30
 * nodes with 32 bits, 16383 with 16.
 *
 * # Operations
 * insert, erase by key or by iterator, find, contains, count, lower_bound, upper_bound, min, max,
 * all of them for any type that `Compare` takes; bidirectional iteration in order; build, from keys
 * in ascending order, in linear time; clone, save and load for keys that are plain memory; check,
 * which walks the invariants. An iterator, like the index it has, stays valid until its element is
 * erased; `erase` moves no key.
 *
 * Errors: those of the pool; nothing has changed after an exception.
 * Complexity: logarithmic; iteration is constant on average.
 * Thread safety: that of a standard container.
 * Source: weak AVL trees, in Haeupler, Sen and Tarjan, "Rank-balanced trees" (2015).
 *
 * ```cpp
 * heapsmith::set<int> s;
 * s.insert(3);
 * for (int k : s) use(k);
 * heapsmith::set<int, std::less<>, heapsmith::pool_fixed> fixed(1000);
 * ```
 */
template <class Key, class Compare = std::less<>,
          template <class, class...> class Pool = free_list_growable, class... Policies>
class set : public detail::ordered<set<Key, Compare, Pool, Policies...>,
                                   detail::tree<Key, void, Compare, Pool, Policies...>, const Key&,
                                   const Key&> {
  using tree = detail::tree<Key, void, Compare, Pool, Policies...>;
  using base = detail::ordered<set, tree, const Key&, const Key&>;
  friend base;

 public:
  using key_type = Key;
  using value_type = Key;
  using key_compare = Compare;

  /// Constructs the pool: nothing, a capacity (fixed kinds need one), an upstream, or both.
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit set(Arguments&&... arguments)
      : base(tree(Compare(), std::forward<Arguments>(arguments)...)) {}
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit set(const Compare& less, Arguments&&... arguments)
      : base(tree(less, std::forward<Arguments>(arguments)...)) {}

  /// Effects: inserts the key if it is not there. Returns: where it is, and whether it is new.
  template <class K>
    requires std::constructible_from<Key, K>
  std::pair<typename base::iterator, bool> insert(K&& key) {
    return this->put(std::forward<K>(key), [] {});
  }

  /// Effects: replaces all keys by those of a range. Requires: they ascend; stops otherwise.
  template <std::ranges::forward_range Range>
  void build(Range&& keys) {
    this->build_from(std::forward<Range>(keys),
                     [this](const auto& k) { return this->tree_.allocate(k); });
  }

 private:
  explicit set(tree&& t) noexcept : base(std::move(t)) {}
};

}  // namespace heapsmith
