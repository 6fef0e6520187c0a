// What a typed pool can be told: tags, each of which changes one property of the defaults.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace heapsmith::policy {

/// Tags for `pool`, `soa_pool` and the containers. Where two speak of the same, the later one
/// counts: so an alias names its tags first, and its user's follow.

/// One allocation, made by the constructor, which is told the capacity.
struct fixed {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_fixed = true;
  };
};

/// Doubles when it is full, and halves when a quarter of it is in use, but not below 16 slots.
struct growable {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_fixed = false;
    static constexpr bool is_ring = false;
  };
};

/// Slots come back at the ends only; to deallocate any other is allowed and ignored.
struct no_reuse {
  template <class Base>
  struct apply : Base {
    static constexpr bool reuses = false;
    static constexpr bool has_handles = false;
  };
};

/// Any slot comes back, and the one that came back last is the next to be used.
struct free_list {
  template <class Base>
  struct apply : Base {
    static constexpr bool reuses = true;
  };
};

/// The type of indices, and with it the most slots that there can be: one less than its values.
template <std::unsigned_integral Index>
struct index {
  template <class Base>
  struct apply : Base {
    using index_type = Index;
  };
};

/// Slots lie in one block, and move when it grows.
struct contiguous {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_stable = false;
  };
};

/// Slots lie in pieces and never move. For growable pools; a fixed one never moves anyway.
struct stable {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_stable = true;
  };
};

/// The slots of a fixed pool form a ring: what is free at one end can be used at the other.
struct ring {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_ring = Base::is_fixed;
  };
};

/// Slots are allocated at the end alone, so that an index needs no bias.
struct one_ended {
  template <class Base>
  struct apply : Base {
    static constexpr bool is_one_ended = true;
  };
};

/// A growable pool does not halve by itself; shrink_to_fit gives back what it does not need. So are
/// the pools of containers, which fill up again as a rule.
struct keep_capacity {
  template <class Base>
  struct apply : Base {
    static constexpr bool keeps_capacity = true;
  };
};

/// A generation for each slot, four bytes, so that `handle<T>` can be given out.
struct with_handles {
  template <class Base>
  struct apply : Base {
    static constexpr bool reuses = true;
    static constexpr bool has_handles = true;
  };
};

/// Every column starts at a multiple of `Bytes`: a cache line unless said otherwise.
template <std::size_t Bytes>
struct column_align {
  template <class Base>
  struct apply : Base {
    static constexpr std::size_t column_align = Bytes;
  };
};

/// Where the memory comes from.
template <class Resource>
struct upstream {
  template <class Base>
  struct apply : Base {
    using upstream_type = Resource;
  };
};

}  // namespace heapsmith::policy

namespace heapsmith::detail {

/// Growable, with a free list, in one block, with 32-bit indices and without handles.
template <class Upstream>
struct default_policy {
  using index_type = std::uint32_t;
  using upstream_type = Upstream;
  static constexpr bool is_fixed = false;
  static constexpr bool reuses = true;
  static constexpr bool has_handles = false;
  static constexpr bool is_stable = false;
  static constexpr bool is_ring = false;
  static constexpr bool is_one_ended = false;
  static constexpr bool keeps_capacity = false;
  static constexpr std::size_t column_align = 1;
};

template <class Base, class... Tags>
struct resolved_policy : Base {};

template <class Base, class Tag, class... Tags>
struct resolved_policy<Base, Tag, Tags...>
    : resolved_policy<typename Tag::template apply<Base>, Tags...> {};

}  // namespace heapsmith::detail
