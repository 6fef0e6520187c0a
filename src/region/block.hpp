// The layout of a region's block in memory: a header, and boundary tags while it is free.
//
//   header 8 bytes │ payload, at a multiple of 16 …                      │ next header
//   in use:          the user's, to the last byte
//   deferred:        next and previous in its quick list
//   free:            links of the free index …            │ size, again
//
// docs/paths/region.md has the picture in full.
#pragma once

#include <cstddef>
#include <cstdint>

#include "region/bins.hpp"
#include "region/frame.hpp"

namespace heapsmith::regions {

using region_bins::granule;

inline constexpr std::size_t header_bytes = sizeof(std::uint64_t);
/// A free block has room for a header, two links and its size at the end.
inline constexpr std::size_t block_min = 2 * granule;

/// Flags in the low bits of a header.
enum : std::uint64_t {
  is_free = 1,          ///< in the free index
  after_free = 2,       ///< the block in front is free, and repeats its size in front of us
  is_deferred = 4,      ///< freed, and in a quick list
  no_flag = 8,          ///< always zero
  flags = granule - 1,  ///< all of them
};

/// The high bits of a header are its seal, the low bits are flags, and the size is between them.
inline constexpr unsigned seal_bits = sizeof(std::size_t) == 8 ? 16 : 32;
inline constexpr unsigned seal_shift = 64 - seal_bits;
inline constexpr std::uint64_t seal_mask = ~((std::uint64_t{1} << seal_shift) - 1);
static_assert(seal_shift > region_bins::size_bits, "sizes do not reach into the seal");

/// A header without its seal.
struct block_info {
  std::uint64_t bits;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(bits & ~std::uint64_t{flags});
  }
  [[nodiscard]] bool has(std::uint64_t flag) const { return (bits & flag) != 0; }
  /// Neither free nor deferred.
  [[nodiscard]] bool is_live() const { return !has(is_free | is_deferred | no_flag); }
  /// False for a word that is not a header: after unsealing, high bits remain.
  [[nodiscard]] bool is_sealed() const { return bits < region_bins::size_end && !has(no_flag); }
};

/// A block, from its header on. The links exist while it is free or deferred.
struct [[gnu::may_alias]] block {
  word header;
  link_word next, previous;

  [[nodiscard]] void* payload() { return &next; }
  [[nodiscard]] const void* payload() const { return &next; }
  [[nodiscard]] block* behind(std::size_t size) { return move(static_cast<std::ptrdiff_t>(size)); }
  [[nodiscard]] block* before(std::size_t size) { return move(-static_cast<std::ptrdiff_t>(size)); }

  /// The boundary tag of a free block, in front of the next header.
  [[nodiscard]] word& size_at_end(std::size_t size) { return *(&behind(size)->header - 1); }
  /// The boundary tag of the block in front, if that is free.
  [[nodiscard]] std::size_t size_in_front() const {
    return static_cast<std::size_t>(detail::probe::load(*(&header - 1)));
  }

 private:
  block* move(std::ptrdiff_t bytes) {
    return reinterpret_cast<block*>(reinterpret_cast<std::byte*>(this) + bytes);
  }
};

inline block* block_of(void* payload) {
  return reinterpret_cast<block*>(static_cast<std::byte*>(payload) - header_bytes);
}

/// The size of the block that a request needs; size_end for every request that is too large.
constexpr std::size_t block_size(std::size_t bytes) {
  if (bytes >= region_bins::size_end - block_min) return region_bins::size_end;
  const std::size_t size = (bytes + header_bytes + granule - 1) & ~(granule - 1);
  return size < block_min ? block_min : size;
}

constexpr std::size_t usable_bytes(std::size_t size) {
  return size - header_bytes;
}

/**
 * Sealed headers: the high bits of each header depend on its address and on the region, so other
 * words are not mistaken for headers.
 *
 * The seal is a defence against mistakes; a forged one is not detected.
 */
template <class Frame>
class sealed_blocks : protected Frame {
 protected:
  [[nodiscard]] block_info info(const block* b) const {
    return {detail::probe::load(b->header) ^ seal(b)};
  }
  void write(block* b, std::uint64_t size_and_flags) {
    this->publish(b->header, size_and_flags ^ seal(b));
  }
  void add_flag(block* b, std::uint64_t flag) {
    this->publish(b->header, detail::probe::load(b->header) | flag);
  }
  void drop_flag(block* b, std::uint64_t flag) {
    this->publish(b->header, detail::probe::load(b->header) & ~flag);
  }
  /// Overwrites the header of a block that is now part of another one.
  void erase(block* b) { detail::probe::store(b->header, ~std::uint64_t{0}); }

  [[nodiscard]] block* block_at(link l) const {
    return l == 0 ? nullptr : reinterpret_cast<block*>(this->address_of(l));
  }

  /// A payload's link is a multiple of 16, so the shift moves its lowest set bits into the seal.
  [[nodiscard]] std::uint64_t seal(const block* b) const {
    const std::uint64_t l = this->link_to(b->payload());
    return (l << (seal_shift - region_bins::granule_shift)) ^ cookie_;
  }

  /// Invalidates all headers that were written before.
  void change_cookie() {
    cookie_ = (++cookies_ * 0x9e3779b97f4a7c15 +
               reinterpret_cast<std::uintptr_t>(this) / 64 * 0xbf58476d1ce4e5b9) &
              seal_mask;
  }

  std::uint64_t cookie_ = 0;

 private:
  std::uint64_t cookies_ = 0;
};

}  // namespace heapsmith::regions
