// Typed pools in columns: the fields of all rows side by side, each field by itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>

#include "heapsmith/detail/pool/slot_policies.hpp"
#include "heapsmith/detail/pool/slot_soa.hpp"
#include "heapsmith/detail/pool/whole_pool.hpp"
#include "heapsmith/handle.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

template <class T, class... Policies>
class soa_pool;

namespace detail {

template <class... Policies>
using soa_policy =
    resolved_policy<default_policy<default_resource>, policy::column_align<64>, Policies...>;

template <class T, class... Policies>
using soa_base =
    whole_pool<soa_pool<T, Policies...>, typename soa_layout_of<T, soa_policy<Policies...>>::type,
               soa_policy<Policies...>, handle<T>>;

}  // namespace detail

/**
 * A pool whose rows are split into columns, for loops that read one or two fields of many rows.
 *
 * `T` is an aggregate of up to 16 fields, which are found at compile time; or `columns<A, B>`,
 * whose rows are std::tuple<A, B>; or any other type, which is one column. All columns lie in one
 * allocation, each at a multiple of 64 bytes, or of what policy::column_align says.
 *
 * The interface is that of `pool`, with its policies, errors and guarantees. What differs:
 * - A row is a proxy: `auto [key, value] = pool[i]` binds to the fields, `pool[i] = row` assigns to
 *   them, and it converts to the row type. `get<I>(i)` touches one field alone.
 * - `column<I>()` is a std::span from the first live slot to the last; of a ring, two spans.
 *   Dead slots in between hold valid values: those of the row that ended, or default-constructed
 *   ones where fields have destructors.
 * - Iterators are random access or bidirectional as C++20 means it, so that its ranges and
 *   algorithms work on rows, std::ranges::sort for one; algorithms of the old kind see an input
 *   iterator.
 *
 * # Requires
 * Fields move without throwing, and default-construct without throwing if they have destructors.
 * Arrays are std::array.
 *
 * Source: structure of arrays, an old habit of array programming; fields are told apart by
 * structured bindings, as in Boost.PFR.
 *
 * ```cpp
 * struct particle { float x, speed; };
 * heapsmith::soa_pool<particle> particles;
 * particles.allocate_end(particle{0, 1});
 * for (auto [x, speed] : particles) x += speed;
 * const float fastest = std::ranges::max(particles.column<1>());
 * ```
 */
template <class T, class... Policies>
class soa_pool : public detail::soa_base<T, Policies...> {
  using policy_of = detail::soa_policy<Policies...>;
  using base = detail::soa_base<T, Policies...>;
  using layout = typename base::layout_type;

 public:
  using index_type = typename base::index_type;
  template <std::size_t I>
  using field = typename layout::template field<I>;
  static constexpr bool is_soa = true;
  static constexpr std::size_t column_count = layout::value_columns;

  using base::base;

  /// Returns: field `I` of the row in slot `i`, without a look at the others.
  template <std::size_t I>
  [[nodiscard]] field<I>& get(index_type i) noexcept {
    HS_REQUIRE(this->contains(i), "the slot is not live");
    return layout::template get<I>(this->books_.slots, i);
  }
  template <std::size_t I>
  [[nodiscard]] const field<I>& get(index_type i) const noexcept {
    HS_REQUIRE(this->contains(i), "the slot is not live");
    return layout::template get<I>(this->books_.slots, i);
  }
  /// The same for a row with a handle; stops when that is stale or foreign.
  template <std::size_t I>
  [[nodiscard]] field<I>& get(handle<T> h) noexcept
    requires policy_of::has_handles
  {
    this->require(h);
    return get<I>(static_cast<index_type>(h.index()));
  }

  /// Returns: field `I` of all rows, from the first live slot to the last. Complexity: constant,
  /// but for dead slots at the ends, of which it looks at 64 at a time.
  template <std::size_t I>
  [[nodiscard]] auto column() noexcept {
    return spans<I, field<I>>();
  }
  template <std::size_t I>
  [[nodiscard]] auto column() const noexcept {
    return spans<I, const field<I>>();
  }

  /// Returns: the row that `h` names, or nothing when it is gone.
  [[nodiscard]] std::optional<typename base::reference> find(handle<T> h) noexcept
    requires policy_of::has_handles
  {
    if (!this->contains(h)) return std::nullopt;
    return (*this)[static_cast<index_type>(h.index())];
  }

 private:
  template <std::size_t I, class Field>
  auto spans() const noexcept {
    static_assert(!policy_of::is_stable, "columns in pieces are no span");
    std::array<std::span<Field>, 2> parts;
    if (!this->empty()) {
      const auto& books = this->books_;
      const index_type from = books.next_live(books.first);
      const auto used = static_cast<std::size_t>(
          static_cast<index_type>(books.live_before(books.last) - from + 1));
      const std::size_t n = policy_of::is_ring ? std::min(used, books.slots.run(from)) : used;
      parts[0] = {books.slots.template cell<field<I>>(I, from), n};
      parts[1] = {books.slots.template base<field<I>>(I, from), used - n};
    }
    if constexpr (policy_of::is_ring)
      return parts;
    else
      return parts[0];
  }
};

/// Projects a row to its field `I`, whether the row lies in columns or is a value, as algorithms
/// mix the two: `std::ranges::sort(particles, {}, heapsmith::by_field<0>)`.
template <std::size_t I>
inline constexpr auto by_field = []<class Row>(const Row& row) -> const auto& {
  if constexpr (requires { row.template get<I>(); })
    return row.template get<I>();
  else
    return std::get<I>(detail::row_traits<Row>::tie(row));
};

/// The kinds of pools in columns: `soa_fixed<T> p(n)`.
template <class T, class... Policies>
using soa_fixed = soa_pool<T, policy::fixed, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using soa_growable = soa_pool<T, policy::growable, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using soa_free_list_fixed = soa_pool<T, policy::fixed, policy::free_list, Policies...>;
template <class T, class... Policies>
using soa_free_list_growable = soa_pool<T, policy::growable, policy::free_list, Policies...>;

}  // namespace heapsmith
