// What `pool` and `soa_pool` are as wholes: how they are made, copied, and kept as plain memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heapsmith/detail/pool/slot_handles.hpp"
#include "heapsmith/detail/pool/slot_image.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/// `Pool` is the class that derives from this one.
template <class Pool, class Layout, class Policy, class Handle>
class whole_pool : public handle_pool<Layout, Policy, Handle> {
  using base = handle_pool<Layout, Policy, Handle>;
  using upstream_type = typename Policy::upstream_type;
  using source = upstream<upstream_type>;
  friend struct slot_image;

 public:
  /// A fixed pool is told its capacity; a growable one may be, and else begins without a block.
  whole_pool()
    requires(!Policy::is_fixed && std::default_initializable<source>)
      : base(source(), 0) {}
  explicit whole_pool(std::size_t capacity)
    requires std::default_initializable<source>
      : base(source(), capacity) {}
  explicit whole_pool(upstream_type& from)
    requires(!Policy::is_fixed)
      : base(source(from), 0) {}
  whole_pool(std::size_t capacity, upstream_type& from) : base(source(from), capacity) {}

  /// Returns: the same rows at the same indices, in memory of the same upstream. Handles of the one
  /// are foreign to the other.
  [[nodiscard]] Pool clone() const
    requires(slot_image::is_possible<base>)
  {
    return slot_image::clone(self());
  }

  /// Returns: how many bytes save() writes.
  [[nodiscard]] std::size_t image_bytes() const noexcept { return slot_image::bytes(self()); }

  /// Effects: writes the rows as plain memory, without addresses. `user` is the caller's.
  /// Requires: `out` has image_bytes() bytes.
  void save(std::span<std::byte> out, std::uint64_t user = 0) const
    requires(slot_image::is_possible<base>)
  {
    slot_image::save(self(), user, out);
  }

  /// Effects: replaces all rows by those of an image. Returns: false, with nothing changed, when it
  /// is of another kind of pool, is cut short, or does not fit a fixed one.
  [[nodiscard]] bool load(std::span<const std::byte> image, std::uint64_t* user = nullptr)
    requires(slot_image::is_possible<base>)
  {
    std::uint64_t unused;
    return slot_image::load(static_cast<Pool&>(*this), image, user != nullptr ? user : &unused);
  }

 private:
  [[nodiscard]] const Pool& self() const noexcept { return static_cast<const Pool&>(*this); }
};

}  // namespace heapsmith::detail
