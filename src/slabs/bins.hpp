// Occupancy bins: which of a class's waiting slabs to use first, in constant time.
//
// Filling the fullest slab first lets the emptiest drain, and an empty slab's memory serves anyone.
// A slab with `used` blocks of `capacity` lies in bin ceil(4·used / capacity) - 1; the countdown
// that free decrements is set to reach zero just when the slab belongs one bin lower. Slabs that
// are nearly full are apart: one that was full a moment ago has one block for malloc, and the
// search for the next slab would cost more than it gives. Full slabs lie in no bin, unless they are
// listed. A slab of which nothing is in use lies in the lowest one while it may not end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// The bin of slabs that are nearly full.
inline constexpr unsigned last_bin = bin_count - 1;

constexpr std::uint32_t nearly_full(std::uint32_t capacity) {
  const std::uint32_t enough_to_serve = std::min(capacity / 8, 8u);
  return capacity - std::max({capacity / 16, enough_to_serve, 1u});
}

constexpr unsigned bin_of(std::uint32_t used, std::uint32_t capacity) {
  if (used > nearly_full(capacity)) return last_bin;
  return (std::max(used, 1u) * last_bin - 1) / capacity;
}

/// The most blocks in use at which a slab no longer belongs to `bin`.
constexpr std::uint32_t below_bin(unsigned bin, std::uint32_t capacity) {
  return bin == last_bin ? nearly_full(capacity) : bin * capacity / last_bin;
}

/// A slab with `used` blocks in use enters bin `b`, where it belongs.
[[gnu::noinline]] inline void enter_bin(thread_heap& h, slab* s, std::uint32_t used, unsigned b) {
  s->bin = static_cast<std::uint8_t>(b);
  s->later = below_bin(b, s->capacity);
  s->countdown = used - s->later;
  ++h.binned;
  slab*& head = h.bins[s->size_class][b];
  s->previous = nullptr;
  s->next = head;
  if (head != nullptr) head->previous = s;
  head = s;
}

inline void enter_bin(thread_heap& h, slab* s, std::uint32_t used) {
  enter_bin(h, s, used, bin_of(used, s->capacity));
}

[[gnu::noinline]] inline void leave_bin(thread_heap& h, slab* s) {
  (s->previous != nullptr ? s->previous->next : h.bins[s->size_class][s->bin]) = s->next;
  if (s->next != nullptr) s->next->previous = s->previous;
  s->next = s->previous = nullptr;
  --h.binned;
}

/// A slab of the fullest bin that has any, nearly full ones left out; or null.
inline slab* fullest(const thread_heap& h, std::size_t c) {
  if (h.binned == 0) return nullptr;  // a small program never touches the bins
  for (unsigned b = last_bin; b-- > 0;)
    if (h.bins[c][b] != nullptr) return h.bins[c][b];
  return nullptr;
}

/// One of the class's nearly full slabs that has a free block, or null. Complexity: a step for each
/// listed slab that was full.
[[gnu::noinline, gnu::cold]] inline slab* first_nearly_full(const thread_heap& h, std::size_t c) {
  if (h.binned == 0) return nullptr;  // as in fullest()
  for (slab* s = h.bins[c][last_bin]; s != nullptr; s = s->next)
    if (s->free != nullptr) return s;
  return nullptr;
}

}  // namespace heapsmith
