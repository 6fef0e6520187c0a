// Typed pools: rows of one type in numbered slots, found by index or by handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/slot_aos.hpp"
#include "heapsmith/detail/slot_handles.hpp"
#include "heapsmith/detail/slot_image.hpp"
#include "heapsmith/detail/slot_policies.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/handle.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

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
 * debug builds), `at` (always checked), operator[] by handle (always checked); contains; begin and
 * end over live rows, in the order of their indices; check, which walks the invariants.
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
class pool
    : public detail::handle_pool<
          detail::aos_layout<
              T, detail::resolved_policy<detail::default_policy<default_resource>, Policies...>>,
          detail::resolved_policy<detail::default_policy<default_resource>, Policies...>,
          handle<T>> {
  using policy_of = detail::resolved_policy<detail::default_policy<default_resource>, Policies...>;
  using base = detail::handle_pool<detail::aos_layout<T, policy_of>, policy_of, handle<T>>;
  using upstream_type = typename policy_of::upstream_type;
  using source = detail::upstream<upstream_type>;
  friend struct detail::slot_image;

 public:
  using index_type = typename base::index_type;
  static constexpr bool is_soa = false;

  pool()
    requires(!policy_of::is_fixed && std::default_initializable<source>)
      : base(source(), 0) {}
  explicit pool(std::size_t capacity)
    requires std::default_initializable<source>
      : base(source(), capacity) {}
  explicit pool(upstream_type& from)
    requires(!policy_of::is_fixed)
      : base(source(from), 0) {}
  pool(std::size_t capacity, upstream_type& from) : base(source(from), capacity) {}

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

  /// Returns: the same rows at the same indices, in memory of the same upstream. Handles of the one
  /// are foreign to the other.
  [[nodiscard]] pool clone() const
    requires(detail::slot_image::is_possible<base>)
  {
    return detail::slot_image::clone(*this);
  }

  /// Returns: how many bytes save() writes.
  [[nodiscard]] std::size_t image_bytes() const noexcept {
    return detail::slot_image::bytes(*this);
  }

  /// Effects: writes the rows as plain memory, without addresses. `user` is the caller's.
  /// Requires: `out` has image_bytes() bytes.
  void save(std::span<std::byte> out, std::uint64_t user = 0) const
    requires(detail::slot_image::is_possible<base>)
  {
    detail::slot_image::save(*this, user, out);
  }

  /// Effects: replaces all rows by those of an image. Returns: false, with nothing changed, when it
  /// is of another kind of pool, is cut short, or does not fit a fixed one.
  [[nodiscard]] bool load(std::span<const std::byte> image, std::uint64_t* user = nullptr)
    requires(detail::slot_image::is_possible<base>)
  {
    std::uint64_t unused;
    return detail::slot_image::load(*this, image, user != nullptr ? user : &unused);
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
