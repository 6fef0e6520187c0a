// The policies of typed pools: tags, each of which changes one property of the defaults.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace heapsmith::detail {

/// The defaults: growable, any slot can be erased, one block, no handles.
struct pool_options {
  bool is_fixed = false;
  bool reuses = true;
  bool has_handles = false;
  bool is_stable = false;
  bool is_ring = false;
  bool is_one_ended = false;
  bool keeps_capacity = false;
  bool is_soa = false;
  std::size_t column_align = 1;
  std::uint64_t no_root = 0;
};

/// A tag of containers: the pool has a root, which is `Nodes::none` until they set it. A type names
/// it, since debuggers spell numbers in the names of types in two ways.
template <class Nodes>
struct rooted {
  static constexpr void apply(pool_options& o) { o.no_root = Nodes::none; }
};

/// A tag that sets one option.
template <bool pool_options::* Option>
struct sets {
  static constexpr void apply(pool_options& o) { o.*Option = true; }
};

}  // namespace heapsmith::detail

namespace heapsmith::policy {

/// Tags for `pool`, `soa_pool` and the containers. If two tags contradict each other, the later one
/// counts: an alias names its own tags first, and its user's tags follow.

/// One allocation, made by the constructor, which takes the capacity.
struct fixed : detail::sets<&detail::pool_options::is_fixed> {};

/// Rows are erased at the ends only.
struct no_reuse {
  static constexpr void apply(detail::pool_options& o) { o.reuses = o.has_handles = false; }
};

/// A generation for each slot, four bytes, and handles that are checked against it.
struct with_handles {
  static constexpr void apply(detail::pool_options& o) { o.reuses = o.has_handles = true; }
};

/// Slots lie in pieces of some 4 KiB and never move. Slots of fixed pools never move anyway.
struct stable : detail::sets<&detail::pool_options::is_stable> {};

/// The slots of a fixed pool form a ring: a slot left at one end can be used at the other. Growable
/// pools ignore this tag.
struct ring : detail::sets<&detail::pool_options::is_ring> {};

/// Rows are added at the end only, and an index needs no bias.
struct one_ended : detail::sets<&detail::pool_options::is_one_ended> {};

/// A growable pool does not halve by itself; shrink_to_fit gives memory back. The pools of the
/// containers do this, because they usually fill up again.
struct keep_capacity : detail::sets<&detail::pool_options::keeps_capacity> {};

/// Each column starts at a multiple of `Bytes`.
template <std::size_t Bytes>
struct column_align {
  static constexpr void apply(detail::pool_options& o) { o.column_align = Bytes; }
};

/// The type of indices. A pool has fewer slots than this type has values.
template <class Index>
struct index {
  static_assert(std::unsigned_integral<Index> && !std::same_as<Index, bool>);
  static constexpr void apply(detail::pool_options&) {}
};

/// The resource that the memory comes from.
template <class Resource>
struct upstream {
  static constexpr void apply(detail::pool_options&) {}
};

}  // namespace heapsmith::policy

namespace heapsmith::detail {

/// The argument of the last tag that is a `Tag`; `Found` without such a tag.
template <template <class> class Tag, class Found, class... Tags>
struct last_argument {
  using type = Found;
};
template <template <class> class Tag, class Found, class First, class... Rest>
struct last_argument<Tag, Found, First, Rest...> : last_argument<Tag, Found, Rest...> {};
template <template <class> class Tag, class Found, class Argument, class... Rest>
struct last_argument<Tag, Found, Tag<Argument>, Rest...> : last_argument<Tag, Argument, Rest...> {};

/// The options of a pool with all these tags. Without a policy::upstream, memory comes from
/// `Resource`.
template <class Resource, class... Tags>
class pool_policy {
  static constexpr pool_options chosen = [] {
    pool_options o;
    (Tags::apply(o), ...);
    return o;
  }();

 public:
  using index_type = typename last_argument<policy::index, std::uint32_t, Tags...>::type;
  using upstream_type = typename last_argument<policy::upstream, Resource, Tags...>::type;
  static constexpr bool is_fixed = chosen.is_fixed;
  static constexpr bool reuses = chosen.reuses;
  static constexpr bool has_handles = chosen.has_handles;
  static constexpr bool is_stable = chosen.is_stable && !is_fixed;
  static constexpr bool is_ring = chosen.is_ring && is_fixed;
  static constexpr bool is_one_ended = chosen.is_one_ended;
  static constexpr bool keeps_capacity = chosen.keeps_capacity;
  static constexpr bool is_soa = chosen.is_soa;
  /// Whether all rows lie side by side.
  static constexpr bool is_one_run = !is_soa && !reuses && !is_ring && !is_stable;
  static constexpr std::size_t column_align = chosen.column_align;
  static constexpr auto no_root = static_cast<index_type>(chosen.no_root);
};

}  // namespace heapsmith::detail
