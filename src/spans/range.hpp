// A range: address space for slices, grown at its end, with a record and two bits for each slice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "spans/record.hpp"

namespace heapsmith::spans {

/// The free ones of 64 slices, and those of them that have memory.
struct free_word {
  std::uint64_t dirty;  // free, memory behind it: cheap to take, must be cleared for calloc
  std::uint64_t clean;  // free, no memory behind it: reads as zero, costs page faults
};

/// Address space from `base` on; slices below `slices` are mapped and have records. Nothing beyond
/// is: the range lies in a hole of the address space and is mapped on as it grows, so that the
/// process looks no larger than it is, and address-space limits hold. docs/decisions/0005-range.md.
/// The hole has room, in this order, for free words, records, slices.
struct range {
  std::uintptr_t base = 0;
  atomic<std::size_t> slices{0};  // a live block's slice is always below it
  record* records = nullptr;
  free_word* words = nullptr;
  std::size_t capacity = 0;                          // slices the hole has room for
  std::size_t words_mapped = 0, records_mapped = 0;  // bytes
  std::size_t lowest_free = 0;                       // no free slice lies below

  std::size_t committed() const { return slices.load(relaxed); }
  char* address_of(const record* of) const {
    return reinterpret_cast<char*>(base + (static_cast<std::size_t>(of - records) << slice_shift));
  }
};

inline constexpr std::size_t max_ranges = 64;

/// ranges[0] is the one the fast paths know; more follow only when address space is scarce.
[[gnu::visibility("hidden")]] extern range ranges[max_ranges];
[[gnu::visibility("hidden")]] extern atomic<std::size_t> range_count;

/// The slice number of `p`; nonsense unless is_slice() says otherwise.
[[gnu::always_inline]] inline std::size_t slice_of(const range& r, const void* p) {
  return (reinterpret_cast<std::uintptr_t>(p) - r.base) >> slice_shift;
}

/// Whether `i` is a slice with a record: one comparison that null and foreign pointers fail.
[[gnu::always_inline]] inline bool is_slice(const range& r, std::size_t i) {
  // relaxed: the pointer reached us from its allocation, which came after the growth it needed.
  return i < r.slices.load(relaxed);
}

/// The record of the slice that holds `p` in any range, or null.
record* find_anywhere(const void* p);

/// The range that has this record.
range& range_of(const record* r);

/// Finds a hole for a further range of at least `slices`; null if no hole exists. Spans lock held.
range* add_range_locked(std::size_t slices);

/// Maps at least `slices` more slices of `r`, as clean free ones. False when refused or full.
bool grow_range_locked(range& r, std::size_t slices);

}  // namespace heapsmith::spans
