// Nodes of containers in slots of any pool: their hot part, and the value of the user.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/columns.hpp"
#include "heapsmith/detail/pool/insides.hpp"
#include "heapsmith/detail/pool/policies.hpp"

namespace heapsmith::detail {

/// A node: the part that every operation of the container reads, and the value of the user.
template <class Hot, class T>
struct split_node {
  Hot hot;
  T value;
};
template <class Hot>
struct split_node<Hot, void> {
  Hot hot;
};

/// In columns the hot part stays together, whatever its fields.
template <class Hot, class T>
struct row_traits<split_node<Hot, T>> {
  using value_type = split_node<Hot, T>;
  static constexpr auto tie_parts(const Hot& hot, const T& value) {
    return std::tuple_cat(std::tie(hot), row_traits<T>::tie(value));
  }
  static constexpr auto tie(auto& v) {
    return std::tuple_cat(std::tie(v.hot), row_traits<T>::tie(v.value));
  }
  static constexpr value_type made_of(auto&& hot, auto&&... fields) {
    return {std::forward<decltype(hot)>(hot),
            row_traits<T>::made_of(std::forward<decltype(fields)>(fields)...)};
  }
};
template <class Hot>
struct row_traits<split_node<Hot, void>> {
  using value_type = split_node<Hot, void>;
  static constexpr auto tie_parts(const Hot& hot) { return std::tie(hot); }
  static constexpr auto tie(auto& v) { return std::tie(v.hot); }
  static constexpr value_type made_of(auto&& hot) { return {std::forward<decltype(hot)>(hot)}; }
};

/// Reaches the parts of split_node<Hot, T> in a pool of rows or of columns.
template <class Pool, class T>
struct node_parts {
  using index = typename Pool::index_type;

  static auto& hot(auto& pool, index i) noexcept {
    if constexpr (Pool::is_soa)
      return pool.template get<0>(i);
    else
      return pool[i].hot;
  }

  /// Returns: a reference to the value, or a row of references where it lies in several columns.
  static decltype(auto) value(auto& pool, index i) noexcept {
    if constexpr (std::is_void_v<T>)
      return;
    else if constexpr (!Pool::is_soa)
      return (pool[i].value);
    else if constexpr (!splittable<T>)
      return pool.template get<1>(i);
    else
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return soa_row<T, std::remove_reference_t<decltype(pool.template get<I + 1>(i))>...>(
            pool.template get<I + 1>(i)...);
      }(std::make_index_sequence<Pool::column_count - 1>());
  }

  using reference = decltype(value(std::declval<Pool&>(), index()));
  using const_reference = decltype(value(std::declval<const Pool&>(), index()));
};

/// Returns: a T unchanged, so that it is copied only once, to its slot; anything else as a T.
template <class T, class Value>
decltype(auto) as_value(Value&& value) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Value>, T>)
    return std::forward<Value>(value);
  else
    return T(std::forward<Value>(value));
}

/// Effects: ends all nodes that have destructors, and those that destructors add. `unlink` makes
/// the container empty, so that a destructor that uses it finds no node that is about to end.
template <class Pool>
void end_nodes(Pool& pool, auto unlink) noexcept {
  if constexpr (!Pool::layout_type::ends_trivially)
    while (!pool.empty()) {
      unlink();
      Pool ending(std::move(pool));
      ending.clear();
      if (pool.empty()) pool = std::move(ending);
    }
}

/// Effects: ends the node in slot `i`. In a deque pool, only the last slot can be reused: others
/// stay as they are.
template <class Pool>
void discard(Pool& pool, typename Pool::index_type i) noexcept {
  if constexpr (Pool::policy_type::reuses)
    pool.erase(i);
  else if (static_cast<typename Pool::index_type>(i + 1) == pool.end_index())
    pool.pop_back();
}

}  // namespace heapsmith::detail
