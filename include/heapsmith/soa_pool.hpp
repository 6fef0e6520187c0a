// Typed pools in columns: each field of all rows lies side by side.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <tuple>

#include "heapsmith/detail/pool/columns.hpp"
#include "heapsmith/pool.hpp"

namespace heapsmith {

namespace policy {

/// Rows are split into columns, each of which starts at a cache line: the policy of `soa_pool`.
struct soa {
  static constexpr void apply(detail::pool_options& o) {
    o.is_soa = true;
    o.column_align = 64;
  }
};

}  // namespace policy

/**
 * A pool whose rows are split into columns, for loops that read one or two fields of many rows.
 *
 * `T` is an aggregate of up to 16 fields, which are found at compile time; or `columns<A, B>`,
 * whose rows are std::tuple<A, B>; or any other type, which is one column. All columns lie in one
 * allocation, each at a multiple of 64 bytes, or of policy::column_align.
 *
 * The columns are *sparse*: a column has a cell for each slot, and the cells of erased rows stay
 * between those of live ones. So an index never changes, and erasing a row touches that row only.
 * The columns of the Rust crate's `SoaPool` are *dense*: when a row is erased, the last row moves
 * into the gap, and only handles name rows. In C++ a program may know a row by its index alone, so
 * the index must not change.
 *
 * The interface is that of `pool`, with its policies, errors and guarantees. The differences:
 * - A row is a proxy: `auto [key, value] = pool[i]` binds to the fields, `pool[i] = row` assigns to
 *   them, and it converts to the row type. `get<I>(i)` touches one field only; `get(i)` returns a
 *   std::optional of the proxy.
 * - `column<I>()` is a contiguous range from the first live slot to the last, which converts to
 *   std::span; of a ring, two. It is not indexed: `get<I>(i)` is the cell of row `i`. Dead cells
 *   hold valid values: those of the erased row, or default-constructed ones if fields have
 *   destructors.
 * - Iterators are random access or bidirectional as C++20 defines it, so std::ranges algorithms
 *   work on rows; algorithms of the old kind see an input iterator.
 *
 * Requires: fields move without throwing, and default-construct without throwing if they have
 * destructors. Arrays are std::array.
 * Source: structure of arrays, an old habit of array programming; fields are told apart by
 * structured bindings, as in Boost.PFR.
 *
 * ```cpp
 * struct particle { float x, speed; };
 * heapsmith::soa_pool<particle> particles;
 * particles.emplace(particle{0, 1});
 * for (auto [x, speed] : particles) x += speed;
 * const float fastest = std::ranges::max(particles.column<1>());
 * ```
 */
template <class T, class... Policies>
using soa_pool = pool<T, policy::soa, Policies...>;

/// The kinds of pools in columns.
template <class T, class... Policies>
using soa_fixed_pool = soa_pool<T, policy::fixed, Policies...>;
template <class T, class... Policies>
using soa_deque_pool = soa_pool<T, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using soa_fixed_deque_pool = soa_pool<T, policy::fixed, policy::no_reuse, Policies...>;

/// Projects a row to its field `I`, whether the row lies in columns or is a value, since algorithms
/// mix the two: `std::ranges::sort(particles, {}, heapsmith::by_field<0>)`.
template <std::size_t I>
inline constexpr auto by_field = []<class Row>(const Row& row) -> const auto& {
  if constexpr (requires { row.template get<I>(); })
    return row.template get<I>();
  else
    return std::get<I>(detail::row_traits<Row>::tie(row));
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
