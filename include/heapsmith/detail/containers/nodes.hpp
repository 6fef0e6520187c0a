// Nodes of containers in slots of any pool: what is hot in them, and what the user keeps there.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/pool/aggregate.hpp"
#include "heapsmith/detail/pool/slot_policies.hpp"
#include "heapsmith/detail/pool/soa_rows.hpp"

namespace heapsmith::detail {

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

/// Returns: a T as it is, so that it is copied only once, to where it will lie; anything else as T.
template <class T, class Value>
decltype(auto) as_value(Value&& value) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Value>, T>)
    return std::forward<Value>(value);
  else
    return T(std::forward<Value>(value));
}

/// Effects: ends the node in slot `i`. Without a free list its slot comes back only if it is the
/// last one.
template <class Pool>
void discard(Pool& pool, typename Pool::index_type i) noexcept {
  if (Pool::policy_type::reuses)
    pool.deallocate(i);
  else if (static_cast<typename Pool::index_type>(i + 1) == pool.end_index())
    pool.deallocate_end();
}

}  // namespace heapsmith::detail
