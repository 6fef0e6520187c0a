// The bins of a region, and the bin of a free block: arithmetic on sizes, without memory.
//
// Sizes are multiples of a granule of 16 bytes. Below a bound every size has a bin of its own.
// Above, each doubling is divided into bins of equal width (the two-level scheme of TLSF: Masmano
// et al., 2004). The number of bins is most of a region's control data, so there is a choice.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith::region_bins {

inline constexpr unsigned granule_shift = 4;
inline constexpr std::size_t granule = std::size_t{1} << granule_shift;

/// No block is as large as this: addresses have 47 bits, or 32 of which half are one buffer's.
inline constexpr unsigned size_bits = sizeof(std::size_t) == 8 ? 47 : 31;
inline constexpr std::size_t size_end = std::size_t{1} << size_bits;

/// Exact bins below 2^LargeShift, then 2^StepShift bins for each doubling, up to 2^EndShift.
template <unsigned LargeShift, unsigned StepShift, unsigned EndShift>
struct binning {
  /// From this size on, a bin holds more than one size.
  static constexpr std::size_t large_min = std::size_t{1} << LargeShift;
  static constexpr std::size_t steps = std::size_t{1} << StepShift;
  /// No block is as large as this.
  static constexpr std::size_t end = std::size_t{1} << EndShift;

  static constexpr std::size_t exact_bins = large_min >> granule_shift;
  static constexpr std::size_t bin_count = exact_bins + (EndShift - LargeShift) * steps;

  static constexpr bool is_exact(std::size_t bin) { return bin < exact_bins; }

  /// The bin of blocks of `size` bytes. Requires: size is a multiple of granule below end.
  static constexpr std::size_t bin_of(std::size_t size) {
    if (size < large_min) return size >> granule_shift;
    const auto doubling = static_cast<unsigned>(std::bit_width(size)) - 1;
    const std::size_t step = (size >> (doubling - StepShift)) - steps;
    return exact_bins + (doubling - LargeShift) * steps + step;
  }

  /// The smallest size of a bin.
  static constexpr std::size_t bin_floor(std::size_t bin) {
    if (is_exact(bin)) return bin << granule_shift;
    const std::size_t above = bin - exact_bins;
    const std::size_t doubling = LargeShift + above / steps;
    return (steps + above % steps) << (doubling - StepShift);
  }

  /// The width of a bin as a power of two: its sizes differ only in the bits below this one.
  static constexpr unsigned bin_width_shift(std::size_t bin) {
    if (is_exact(bin)) return granule_shift;
    return LargeShift - StepShift + static_cast<unsigned>((bin - exact_bins) / steps);
  }

  static_assert(EndShift <= size_bits);
  static_assert(bin_of(large_min - granule) + 1 == bin_of(large_min));
  static_assert(bin_of(end - granule) + 1 == bin_count);
  static_assert(bin_width_shift(exact_bins) >= granule_shift);
};

/// For memory of any size: 1552 bins, whose sizes differ by at most a sixteenth.
struct fine : binning<14, 4, size_bits> {
  /// Freed blocks up to this size are deferred.
  static constexpr std::size_t quick_max = 1024;
  static constexpr std::size_t buffers_max = 64;
  /// Whether blocks of a size that is requested repeatedly are carved in strips.
  static constexpr bool has_strips = true;
};

/// For little memory: 28 bins, one for each doubling from 256 bytes on.
struct coarse : binning<8, 0, 20> {
  static constexpr std::size_t quick_max = 128;
  static constexpr std::size_t buffers_max = 2;
  /// A small buffer fits into the processor's caches.
  static constexpr bool has_strips = false;
};

}  // namespace heapsmith::region_bins
