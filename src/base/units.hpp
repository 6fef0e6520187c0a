// The heap's units: how big a slice is, where small ends and large begins, and rounding between
// them. docs/design/large-and-zeroed.md
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith {

inline constexpr std::size_t KiB = 1024;
inline constexpr std::size_t MiB = 1024 * KiB;
inline constexpr std::size_t GiB = 1024 * MiB;

/// A slice is the unit of address space spans are made of; one record describes one slice.
inline constexpr unsigned slice_shift = 16;
inline constexpr std::size_t slice_bytes = std::size_t{1} << slice_shift;

/// Every block is at least this large and this aligned.
inline constexpr std::size_t block_align = 16;

/// Blocks up to this size are cut from slabs, whichever call allocates them.
inline constexpr std::size_t slab_block_max = 32 * KiB;

/// And up to this size where threads cache them. All longer blocks are spans of their own, as are
/// those between the two that grew, that are zeroed and were not cached, or that a first-class heap
/// has: spans are resized in place, and zeroed only where memory was used.
inline constexpr std::size_t cached_block_max = 1 * MiB;

/// Blocks from this size on bypass the spans: each is a mapping of its own, moved by the kernel.
inline constexpr std::size_t direct_map_min = 32 * MiB;

/// No object may be larger (the difference of two pointers into it must be representable).
inline constexpr std::size_t object_max = PTRDIFF_MAX;

constexpr std::size_t round_up(std::size_t n, std::size_t power_of_two) {
  return (n + power_of_two - 1) & ~(power_of_two - 1);
}

constexpr std::size_t round_down(std::size_t n, std::size_t power_of_two) {
  return n & ~(power_of_two - 1);
}

/// For numbers of any width. (std::has_single_bit counts all bits, by a call on some processors.)
template <class Unsigned>
constexpr bool is_power_of_two(Unsigned n) {
  return n != 0 && (n & (n - 1)) == 0;
}

constexpr std::size_t slices_for(std::size_t bytes) {
  return (bytes + slice_bytes - 1) >> slice_shift;
}

}  // namespace heapsmith
