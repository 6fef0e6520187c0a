// An ordered map whose nodes lie in a pool of any kind.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/containers/ordered.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {

/**
 * Maps unique keys to values, and keeps the keys in order. The tree is that of `set`.
 *
 * Elements are pairs of references, made when an iterator is dereferenced: `auto [key, value] =
 * *it`. In a pool of rows a value is a `T&`. In a pool in columns, the keys and links of the nodes
 * are one column, and a search reads only that; the fields of `T` are other columns, and a value is
 * a row of references to them.
 *
 * # Operations
 * Those of set, and at, operator[], insert (which leaves an existing element unchanged) and
 * insert_or_assign.
 *
 * Errors: `at` throws std::out_of_range if the map does not have the key; else those of the pool.
 * Complexity, thread safety, source: see set.
 *
 * ```cpp
 * heapsmith::map<std::uint64_t, order, std::less<>, heapsmith::fixed_pool> book(100000);
 * book.insert_or_assign(price, order{quantity});
 * const auto [best, first] = book.min();
 * ```
 */
template <class Key, class T, class Compare = std::less<>,
          template <class, class...> class Pool = pool, class... Policies>
class map
    : public detail::ordered<
          map<Key, T, Compare, Pool, Policies...>, detail::tree<Key, T, Compare, Pool, Policies...>,
          std::pair<const Key&,
                    typename detail::tree<Key, T, Compare, Pool, Policies...>::parts::reference>,
          std::pair<const Key&, typename detail::tree<Key, T, Compare, Pool,
                                                      Policies...>::parts::const_reference>> {
  using tree = detail::tree<Key, T, Compare, Pool, Policies...>;
  using parts = typename tree::parts;
  using base = detail::ordered<map, tree, std::pair<const Key&, typename parts::reference>,
                               std::pair<const Key&, typename parts::const_reference>>;
  friend base;

 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using key_compare = Compare;
  using mapped_reference = typename parts::reference;
  using const_mapped_reference = typename parts::const_reference;
  using typename base::iterator;

  /// Effects: constructs the pool from the arguments: a capacity, which fixed kinds need, or an
  /// upstream, or both.
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit map(Arguments&&... arguments)
      : base(tree(Compare(), std::forward<Arguments>(arguments)...)) {}
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit map(const Compare& less, Arguments&&... arguments)
      : base(tree(less, std::forward<Arguments>(arguments)...)) {}

  /// Effects: inserts the element if the map does not have the key. Returns: its iterator, and
  /// whether it is new.
  template <class K, class Value>
  std::pair<iterator, bool> insert(K&& key, Value&& value) {
    return this->put(std::forward<K>(key), given_value<Value>{std::forward<Value>(value)});
  }
  /// As insert, and assigns the value if the map has the key. Aborts if the constructor of the
  /// value inserts the key.
  template <class K, class Value>
  std::pair<iterator, bool> insert_or_assign(K&& key, Value&& value) {
    const std::size_t changes = this->tree_.changes();
    const auto result = insert(std::forward<K>(key), std::forward<Value>(value));
    if (result.second) return result;
    if (this->tree_.changes() != changes) [[unlikely]]  // the value has gone
      detail::fatal("%s", "map: a constructor inserted its own key during insert_or_assign()");
    if constexpr (std::is_trivially_assignable_v<T&, Value>) {
      (*result.first).second = std::forward<Value>(value);
    } else {
      const auto pin = detail::pool_insides::pin(this->tree_.pool());
      (*result.first).second = std::forward<Value>(value);
    }
    return result;
  }

  /// Effects: inserts T() if the map does not have the key. Returns: the value.
  template <class K>
  mapped_reference operator[](K&& key) {
    return (*this->put(std::forward<K>(key), default_value()).first).second;
  }

  /// Returns: the value. Errors: throws std::out_of_range if the map does not have the key.
  template <class K>
  [[nodiscard]] mapped_reference at(const K& key) {
    return parts::value(this->tree_.pool(), present(key));
  }
  template <class K>
  [[nodiscard]] const_mapped_reference at(const K& key) const {
    return parts::value(this->tree_.pool(), present(key));
  }

  /// Effects: replaces all elements by those of a range of pairs, which may be elements of this
  /// map. If the map has elements, they stay until all new ones are in a pool of their own. Errors:
  /// aborts if the keys are not in ascending order.
  template <std::ranges::forward_range Range>
  void build(Range&& elements) {
    this->build_from(std::forward<Range>(elements), [](tree& t, const auto& element) {
      const auto& [key, value] = element;
      return t.allocate(key, detail::as_value<T>(value));
    });
  }

 private:
  template <class Value>
  struct given_value {
    static constexpr bool is_quiet = std::is_trivially_constructible_v<T, Value>;
    Value&& value;
    decltype(auto) operator()() const { return detail::as_value<T>(std::forward<Value>(value)); }
  };
  struct default_value {
    static constexpr bool is_quiet = std::is_trivially_default_constructible_v<T>;
    T operator()() const { return T(); }
  };

  explicit map(tree&& t) noexcept : base(std::move(t)) {}

  template <class K>
  auto present(const K& key) const {
    const auto i = this->tree_.find(key);
    if (i == tree::nil) [[unlikely]]
      detail::raise(std::out_of_range("heapsmith::map::at: no such key"));
    return i;
  }
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
