// Size classes as arithmetic on integers: which class a request falls in, and how slabs are cut.
//
//   class    0      16 bytes
//   class    1..7   32 … 128 in steps of 16
//   then 8 classes to each doubling: 144 160 … 256 | 288 320 … 512 | … | 589824 … 1048576
//
// Above 128 bytes a class is at most 12.5 % larger than the request. Eight classes to a doubling is
// the spacing of jemalloc's 4 refined once more; docs/design/slabs.md has the
// measurements.
#pragma once

#include <array>
#include <bit>

#include "base/units.hpp"

namespace heapsmith {

using class_index = std::uint8_t;

inline constexpr std::size_t linear_max = 128;   // steps of 16 up to here
inline constexpr std::size_t direct_max = 1024;  // requests up to here find their slab by table
inline constexpr std::size_t direct_slots = direct_max / block_align + 1;  // slot = ceil(n / 16)
inline constexpr unsigned classes_per_doubling = 8;
inline constexpr std::size_t class_count = linear_max / block_align + 13 * classes_per_doubling;

/// The table slot of a request of `bytes` ≤ direct_max. Slot 0 (a request of 0 bytes) serves the
/// smallest class.
constexpr std::size_t direct_slot(std::size_t bytes) {
  return (bytes + block_align - 1) / block_align;
}

/// The smallest class whose blocks hold `bytes` ≤ cached_block_max.
constexpr class_index class_of(std::size_t bytes) {
  if (bytes <= linear_max)
    return bytes == 0 ? 0 : static_cast<class_index>((bytes - 1) / block_align);
  // n-1 has its leading bit at the doubling; the next three bits say which of its eight classes.
  const std::size_t n = bytes - 1;
  const unsigned top = static_cast<unsigned>(std::bit_width(n)) - 1;
  return static_cast<class_index>((top - 6) * classes_per_doubling + ((n >> (top - 3)) & 7));
}

/// The block size of a class, in bytes.
constexpr std::size_t class_bytes(std::size_t c) {
  if (c < 8) return (c + 1) * block_align;
  const std::size_t doubling = c / classes_per_doubling + 6;
  return (std::size_t{1} << doubling) +
         (c % classes_per_doubling + 1) * (std::size_t{1} << (doubling - 3));
}

/// How many slices a slab of class `c` spans: enough that a slab holds eight blocks. A block that
/// is longer than a slice has a slab for itself: when it is free, its slices serve any other.
constexpr std::size_t slab_slices(std::size_t c) {
  const std::size_t bytes = class_bytes(c);
  return slices_for(bytes <= slice_bytes ? bytes * 8 : bytes);
}

/// How many blocks a slab of class `c` holds. Small ones that would fill it leave one block out:
/// blocks allocated in order must not lie at powers of two, which share a set of the cache
/// (docs/design/regions.md).
constexpr std::size_t slab_capacity(std::size_t c) {
  const std::size_t slab = slab_slices(c) * slice_bytes, bytes = class_bytes(c);
  const bool filled = bytes <= linear_max && slab % bytes == 0;
  return slab / bytes - (filled ? 1 : 0);
}

/// The facts about a class.
struct class_info {
  std::uint32_t bytes;
  std::uint32_t inverse;  // see index_if_start()
  std::uint32_t capacity;
  std::uint8_t slices;
  std::uint8_t batch;  // how many blocks other threads gather before they carry them home
};

/// Memory on its way home is bounded: this many blocks of a slab, or this many bytes.
inline constexpr std::size_t batch_blocks = 64;
inline constexpr std::size_t batch_bytes = 16 * KiB;

constexpr std::size_t batch_of(std::size_t bytes) {
  const std::size_t fit = batch_bytes / bytes;
  return fit > batch_blocks ? batch_blocks : fit == 0 ? 1 : fit;
}

/// The spans that a thread keeps at most; see slabs/kept.hpp.
inline constexpr unsigned kept_slots = 64;

/// When so many of a slab's `carved` blocks came back from other threads, or the first one of less
/// than eight, the slab is reported.
constexpr std::uint32_t enough_to_report(std::uint32_t carved) {
  return carved / 8;
}

/// A number i such that, modulo 2^32, i * (k * bytes) == k * 2^20. `bytes` is 2^t times an odd
/// number, whose inverse modulo 2^32 Newton's steps find: each doubles the number of right bits.
constexpr std::uint32_t inverse_of(std::size_t bytes) {
  const int t = std::countr_zero(bytes);
  const auto odd = static_cast<std::uint32_t>(bytes >> t);
  std::uint32_t inverse = odd;  // right in three bits
  for (int right = 3; right < 32; right *= 2) inverse *= 2 - odd * inverse;
  return inverse << (20 - t);
}

constexpr class_info make_class_info(std::size_t c) {
  const std::size_t bytes = class_bytes(c);
  return {static_cast<std::uint32_t>(bytes), inverse_of(bytes),
          static_cast<std::uint32_t>(slab_capacity(c)), static_cast<std::uint8_t>(slab_slices(c)),
          static_cast<std::uint8_t>(batch_of(bytes))};
}

inline constexpr auto class_table = [] {
  std::array<class_info, class_count> t{};
  for (std::size_t c = 0; c < class_count; ++c) t[c] = make_class_info(c);
  return t;
}();

/// The index of the block that starts at an offset into a slab; at all other offsets a number no
/// less than any slab's capacity (tested exhaustively). One multiplication and no division: the
/// product of no two offsets is the same, and starts have the smallest ones.
constexpr std::uint32_t index_if_start(std::uint32_t inverse, std::uint32_t offset) {
  return std::rotl(offset * inverse, 12);
}

/// The same for an address anywhere.
inline std::uint32_t index_if_start(const class_info& info, const char* start, const void* p) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(p) - start);
  return offset < info.slices * slice_bytes
             ? index_if_start(info.inverse, static_cast<std::uint32_t>(offset))
             : UINT32_MAX;
}

/// The offset of an address into its slice.
inline std::uint32_t offset_in_slice(const void* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) % slice_bytes);
}

/// The smallest class whose blocks hold `bytes` and are all `align`-aligned when the slab is;
/// class_count if no class fits. `align` is a power of two.
[[gnu::noinline]] constexpr std::size_t aligned_class(std::size_t bytes, std::size_t align) {
  if (bytes > cached_block_max || align > slice_bytes) return class_count;
  for (std::size_t c = class_of(bytes < align ? align : bytes); c < class_count; ++c)
    if (class_table[c].bytes % align == 0 || class_table[c].capacity == 1) return c;
  return class_count;
}

static_assert(class_bytes(0) == 16 && class_bytes(7) == 128 && class_bytes(8) == 144);
static_assert(class_bytes(class_count - 1) == cached_block_max);
static_assert(class_of(cached_block_max) == class_count - 1 && class_of(129) == 8);

}  // namespace heapsmith
