// The bins of a region, and the bin of a free block: arithmetic on sizes, without memory.
//
// Sizes are multiples of a granule of 16 bytes. Below 16 KiB every size has a bin of its own.
// Above, each doubling is divided into 16 bins of equal width, so that the sizes of a bin differ by
// at most a sixteenth (the two-level scheme of TLSF: Masmano et al., 2004).
#pragma once

#include <bit>
#include <cstddef>

namespace heapsmith::region_bins {

inline constexpr unsigned granule_shift = 4;
inline constexpr std::size_t granule = std::size_t{1} << granule_shift;

/// From this size on, a bin holds more than one size.
inline constexpr unsigned large_shift = 14;
inline constexpr std::size_t large_min = std::size_t{1} << large_shift;

/// The number of bins for each doubling of the size, above large_min.
inline constexpr unsigned step_shift = 4;
inline constexpr std::size_t steps = std::size_t{1} << step_shift;

/// No block is as large as this: addresses have 47 bits.
inline constexpr unsigned size_bits = 47;
inline constexpr std::size_t size_end = std::size_t{1} << size_bits;

inline constexpr std::size_t exact_bins = large_min >> granule_shift;
inline constexpr std::size_t bin_count = exact_bins + (size_bits - large_shift) * steps;

constexpr bool is_exact(std::size_t bin) {
  return bin < exact_bins;
}

/// The bin of blocks of `size` bytes. Requires: size is a multiple of granule below size_end.
constexpr std::size_t bin_of(std::size_t size) {
  if (size < large_min) return size >> granule_shift;
  const auto doubling = static_cast<unsigned>(std::bit_width(size)) - 1;
  const std::size_t step = (size >> (doubling - step_shift)) - steps;
  return exact_bins + (doubling - large_shift) * steps + step;
}

/// The smallest size of a bin.
constexpr std::size_t bin_floor(std::size_t bin) {
  if (is_exact(bin)) return bin << granule_shift;
  const std::size_t above = bin - exact_bins;
  const std::size_t doubling = large_shift + above / steps;
  return (steps + above % steps) << (doubling - step_shift);
}

/// The width of a bin as a power of two: its sizes differ only in the bits below this one.
constexpr unsigned bin_width_shift(std::size_t bin) {
  if (is_exact(bin)) return granule_shift;
  return large_shift - step_shift + static_cast<unsigned>((bin - exact_bins) / steps);
}

static_assert(bin_of(large_min - granule) + 1 == bin_of(large_min));
static_assert(bin_of(size_end - granule) + 1 == bin_count);
static_assert(bin_width_shift(exact_bins) >= granule_shift);

}  // namespace heapsmith::region_bins
