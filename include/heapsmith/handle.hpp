// Handles: an index that also knows whether its row still lives.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>  // and std::hash

namespace heapsmith {

namespace detail {

/// The parts of a handle, from the lowest bit on. Not in the template: GCC leaves such constants
/// out of the debug information, where debuggers look for them.
struct handle_parts {
  static constexpr unsigned index_bits = 32;
  static constexpr unsigned generation_bits = 20;
  static constexpr unsigned pool_bits = 12;
};

}  // namespace detail

/**
 * Names a row of one pool of `T` in 64 bits: 32 of index, 20 of generation, 12 of pool id.
 *
 * The generation of a slot increases when its row ends. A handle with an older generation is stale,
 * and the pool detects it. After 2^20 rows in a slot, a growable pool retires the slot. A fixed
 * pool starts with generation 0 again, and cannot tell a handle of 2^20 rows ago from a new one.
 * Pool ids start again after 4095 pools. A pool detects the handle of another pool, unless one of
 * the two was made exactly a multiple of 4095 pools after the other. A default-constructed handle
 * names no row.
 *
 * Handles are plain values: copied, compared, hashed and stored as 8 bytes. `T` keeps handles of
 * different pools apart at compile time.
 *
 * Source: generational arenas, as in slot maps (Watte; the slotmap crate).
 *
 * ```cpp
 * heapsmith::pool<particle, heapsmith::policy::with_handles> pool;
 * heapsmith::handle<particle> h = pool.emplace_handle(position, speed);
 * pool[h].speed = 0;
 * pool.erase(h);
 * assert(!pool.contains(h));
 * ```
 */
template <class T>
class handle : public detail::handle_parts {
 public:
  constexpr handle() = default;
  constexpr handle(std::uint32_t index, std::uint32_t generation, std::uint32_t pool_id) noexcept
      : bits_(std::uint64_t{pool_id} << (index_bits + generation_bits) |
              std::uint64_t{generation} << index_bits | index) {}

  [[nodiscard]] constexpr std::uint32_t index() const noexcept {
    return static_cast<std::uint32_t>(bits_);
  }
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> index_bits) & ((1u << generation_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t pool_id() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> (index_bits + generation_bits));
  }

  /// Returns: whether this is the handle of a pool. It may be stale.
  explicit constexpr operator bool() const noexcept { return pool_id() != 0; }

  /// Returns: the handle as an integer, or the handle of an integer.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  static constexpr handle from_bits(std::uint64_t bits) noexcept {
    handle h;
    h.bits_ = bits;
    return h;
  }

  friend constexpr bool operator==(const handle& a, const handle& b) noexcept {
    return a.bits_ == b.bits_;
  }
  friend constexpr auto operator<=>(const handle& a, const handle& b) noexcept {
    return a.bits_ <=> b.bits_;
  }

 private:
  std::uint64_t bits_ = 0;
};

static_assert(sizeof(handle<int>) == 8);

/**
 * Returns: the handle in `copy` of the row that `old` names in another pool. The result is an empty
 * handle if the row ended before it was copied, or has ended in `copy` since then.
 *
 * Requires: load() or clone() has made the rows of `copy` from those of the other pool, and `old`
 * was made before that. A loaded pool has an id of its own, so the handles that were stored with it
 * are foreign to it. Call rebind() for each of these handles.
 *
 * Complexity: constant.
 *
 * ```cpp
 * heapsmith::pool<particle, heapsmith::policy::with_handles> pool;
 * const heapsmith::handle<particle> h = pool.emplace_handle(position, speed);
 * const auto copy = pool.clone();
 * assert(!copy.contains(h) && copy.contains(heapsmith::rebind(copy, h)));
 * ```
 */
template <class Pool>
[[nodiscard]] typename Pool::handle_type rebind(const Pool& copy,
                                                typename Pool::handle_type old) noexcept {
  const auto index = static_cast<typename Pool::index_type>(old.index());
  if (!old || index != old.index() || !copy.contains(index)) return {};
  const auto now = copy.handle_of(index);
  return now.generation() == old.generation() ? now : typename Pool::handle_type();
}

}  // namespace heapsmith

template <class T>
struct std::hash<heapsmith::handle<T>> {
  std::size_t operator()(const heapsmith::handle<T>& h) const noexcept {
    return std::hash<std::uint64_t>()(h.bits());
  }
};

#endif  // HEAPSMITH_HAS_CPP20
