// Handles: an index that knows whether the slot still holds what it was given out for.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heapsmith {

/**
 * Names a row of one pool of `T`, in 64 bits: 32 of index, 20 of generation, 12 of pool id.
 *
 * A slot's generation moves on when its row ends, so a handle is stale from then on, and the pool
 * says so. A growable pool retires a slot whose generations are used up, after 2^20 rows; a fixed
 * pool begins with the first again, so that a handle kept for that long is taken for a new one.
 * Pool ids begin again after 4095 pools: a handle of another pool is foreign, but for one pool in
 * 4095. A default-constructed handle names nothing.
 *
 * Handles are plain values: copied, compared, hashed and stored as 8 bytes. `T` keeps handles of
 * different pools apart at compile time.
 *
 * Source: generational arenas, as in slot maps (Watte; the slotmap crate).
 *
 * ```cpp
 * heapsmith::pool<particle, heapsmith::policy::with_handles> pool;
 * heapsmith::handle<particle> h = pool.make(position, speed);
 * pool[h].speed = 0;
 * pool.deallocate(h);
 * assert(!pool.contains(h));
 * ```
 */
template <class T>
class handle {
 public:
  static constexpr unsigned index_bits = 32;
  static constexpr unsigned generation_bits = 20;
  static constexpr unsigned pool_bits = 12;

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

  /// Returns: whether this came from a pool; it may be stale all the same.
  explicit constexpr operator bool() const noexcept { return pool_id() != 0; }

  /// The handle as an integer, and back.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  static constexpr handle from_bits(std::uint64_t bits) noexcept {
    handle h;
    h.bits_ = bits;
    return h;
  }

  friend constexpr auto operator<=>(const handle&, const handle&) = default;

 private:
  std::uint64_t bits_ = 0;
};

static_assert(sizeof(handle<int>) == 8);

}  // namespace heapsmith

template <class T>
struct std::hash<heapsmith::handle<T>> {
  std::size_t operator()(const heapsmith::handle<T>& h) const noexcept {
    return std::hash<std::uint64_t>()(h.bits());
  }
};
