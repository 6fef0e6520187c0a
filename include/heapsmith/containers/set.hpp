// An ordered set whose nodes lie in a pool of any kind.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

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
 * With 32-bit indices, a node has 12 bytes besides its key, and costs no allocation of its own: a
 * fixed pool allocates once for all nodes. `Pool` is any kind of typed pool; in a deque pool, the
 * slot of an erased node is reused only if it was the last one. At most a quarter of the indices is
 * used: 2^30 nodes with 32 bits, 16383 with 16.
 *
 * # Operations
 * insert, erase by key or by iterator, find, contains, count, lower_bound, upper_bound, min, max,
 * for any type that `Compare` takes; bidirectional iteration in order; build, from ascending keys,
 * in linear time; clone, save and load for trivially copyable keys; check, which walks the
 * invariants. An iterator, like its index, is valid until its element is erased; `erase` moves no
 * key.
 *
 * Errors: those of the pool. An exception leaves the set as it was.
 * Constructors, conversions and destructors may use the container, as those of rows may use the
 * pool: an element is in it once it is complete, and no more when its destructor is called. While a
 * growing pool moves its rows, the container is empty. Aborts if a comparison changes the
 * container; if a destructor erases elements during erase of an iterator; if elements change the
 * container during build; during insert, if a destructor clears or moves the container, or changes
 * it although the constructor has inserted an equal key. If clear() ends elements with destructors,
 * those see an empty container without memory, and a fixed pool is full then. `docs/typed-pools.md`
 * has all cases.
 * Complexity: logarithmic; a step of an iterator is constant on average.
 * Thread safety: that of a standard container.
 * Source: weak AVL trees, in Haeupler, Sen and Tarjan, "Rank-balanced trees" (2015).
 *
 * ```cpp
 * heapsmith::set<int> s;
 * s.insert(3);
 * for (int k : s) use(k);
 * heapsmith::set<int, std::less<>, heapsmith::fixed_pool> fixed(1000);
 * ```
 */
template <class Key, class Compare = std::less<>, template <class, class...> class Pool = pool,
          class... Policies>
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

  /// Effects: constructs the pool from the arguments: a capacity, which fixed kinds need, or an
  /// upstream, or both.
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit set(Arguments&&... arguments)
      : base(tree(Compare(), std::forward<Arguments>(arguments)...)) {}
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit set(const Compare& less, Arguments&&... arguments)
      : base(tree(less, std::forward<Arguments>(arguments)...)) {}

  /// Effects: inserts the key if the set has no equal one. Returns: its iterator, and whether it is
  /// new.
  template <class K>
    requires std::constructible_from<Key, K>
  std::pair<typename base::iterator, bool> insert(K&& key) {
    return this->put(std::forward<K>(key), no_value());
  }

  /// Effects: replaces all keys by those of a range. Aborts if they are not in ascending order. If
  /// the set has keys, they stay until all new ones are in a pool of their own.
  template <std::ranges::forward_range Range>
  void build(Range&& keys) {
    this->build_from(std::forward<Range>(keys),
                     [](tree& t, const auto& k) { return t.allocate(k); });
  }

 private:
  struct no_value {
    static constexpr bool is_quiet = true;
  };

  explicit set(tree&& t) noexcept : base(std::move(t)) {}
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
