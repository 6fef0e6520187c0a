// Typed pools: rows of one type in numbered slots, found by index or by handle.
#pragma once

#include <cstddef>
#include <span>

#include "heapsmith/detail/pool/slot_aos.hpp"
#include "heapsmith/detail/pool/slot_policies.hpp"
#include "heapsmith/detail/pool/whole_pool.hpp"
#include "heapsmith/handle.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

template <class T, class... Policies>
class pool;

namespace detail {

template <class... Policies>
using pool_policy = resolved_policy<default_policy<default_resource>, Policies...>;

template <class T, class... Policies>
using pool_base = whole_pool<pool<T, Policies...>, aos_layout<T, pool_policy<Policies...>>,
                             pool_policy<Policies...>, handle<T>>;

}  // namespace detail

/**
 * Rows of type `T` in slots that are allocated at either end and found by their index.
 *
 * An index is valid as long as its row lives, whichever end grows meanwhile: growth moves the rows,
 * not their indices. Indices are unsigned and count on from both ends: the first row allocated at
 * the beginning of a fresh pool has the index before 0, the largest of its type.
 *
 * # Policies, of namespace policy; the first of each line is the default
 * - `growable`: 16 slots, doubling when full and halving when a quarter full; `fixed`: one
 *   allocation, of the capacity that the constructor is told.
 * - `free_list`: any slot may be deallocated, and the last one deallocated is the next one used;
 *   `no_reuse`: slots come back at the ends.
 * - `index<std::uint32_t>`; or 16, or 64 bits.
 * - `contiguous`; `stable`: pieces of some 4 KiB that never move, for rows that are pointed to;
 *   `ring`: a fixed pool that uses at one end what has become free at the other.
 * - `with_handles`: `make` gives generation-checked handles. Such a pool never gives memory back.
 * - `keep_capacity`: a growable pool does not halve by itself.
 * - `one_ended`: no operations at the beginning, and an index without a bias.
 * - `column_align<Bytes>`, `upstream<Resource>`.
 *
 * # Requires
 * `T` moves without throwing, when the pool is growable and contiguous. An upstream that can be
 * copied is copied; any other is referred to and must outlive the pool.
 *
 * # Operations
 * allocate_end, allocate_begin, and their try_ forms; deallocate, deallocate_end,
 * deallocate_begin; clear_to_begin, clear_to_end, shrink_to_fit; operator[] by index (checked in
 * debug builds), `at` (always checked), operator[] by handle (always checked); contains; prefetch;
 * begin and end over live rows, in the order of their indices; clone, save and load for rows that
 * are plain memory; check, which walks the invariants.
 *
 * Errors: std::bad_alloc when a growable pool finds no memory; nothing has changed then. To
 * allocate from a full fixed pool, to deallocate a slot that is not live, or to use a stale or
 * foreign handle stops the process with one line that says so.
 * Complexity: constant, amortised where a growable pool moves. deallocate_end of a pool with a free
 * list goes over the dead slots that it leaves behind.
 * Thread safety: that of a standard container. A moved-from pool is empty, and fixed ones are full.
 * Source: index-addressed allocators with a free list; the two-ended window is that of a deque.
 *
 * ```cpp
 * heapsmith::pool<order> orders;
 * const std::uint32_t i = orders.allocate_end(price, quantity);
 * orders[i].quantity -= 10;
 * orders.deallocate(i);
 * ```
 */
template <class T, class... Policies>
class pool : public detail::pool_base<T, Policies...> {
  using policy_of = detail::pool_policy<Policies...>;
  using base = detail::pool_base<T, Policies...>;

 public:
  using index_type = typename base::index_type;
  static constexpr bool is_soa = false;

  using base::base;

  /// Returns: all rows side by side. Where slots are reused or form a ring there is no such thing.
  [[nodiscard]] std::span<T> data() noexcept
    requires(!policy_of::reuses && !policy_of::is_ring && !policy_of::is_stable)
  {
    if (this->empty()) return {};
    return {&(*this)[this->begin_index()], this->size()};
  }
  [[nodiscard]] std::span<const T> data() const noexcept
    requires(!policy_of::reuses && !policy_of::is_ring && !policy_of::is_stable)
  {
    if (this->empty()) return {};
    return {&(*this)[this->begin_index()], this->size()};
  }

  /// Returns: a pointer to the row that `h` names, or nullptr when it is gone.
  [[nodiscard]] T* find(handle<T> h) noexcept
    requires policy_of::has_handles
  {
    return this->contains(h) ? &(*this)[static_cast<index_type>(h.index())] : nullptr;
  }
};

/// The kinds of pools: `pool_fixed<T> p(n)`.
template <class T, class... Policies>
using pool_fixed = pool<T, policy::fixed, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using pool_growable = pool<T, policy::growable, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using free_list_fixed = pool<T, policy::fixed, policy::free_list, Policies...>;
template <class T, class... Policies>
using free_list_growable = pool<T, policy::growable, policy::free_list, Policies...>;

}  // namespace heapsmith
