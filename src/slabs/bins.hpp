// Occupancy bins: which of a class's waiting slabs to use first, in constant time.
//
// Filling the fullest slab first lets the emptiest drain, and an empty slab's memory serves anyone.
// A slab with `used` blocks of `capacity` lies in bin ceil(4·used / capacity) - 1; the countdown
// that free decrements is set to reach zero just when the slab belongs one bin lower.
#pragma once

#include <cstdint>

#include "slabs/thread_heap.hpp"

namespace heapsmith {

constexpr unsigned bin_of(std::uint32_t used, std::uint32_t capacity) {
  return (used * bin_count - 1) / capacity;
}

/// The most blocks in use at which a slab no longer belongs to `bin`.
constexpr std::uint32_t below_bin(unsigned bin, std::uint32_t capacity) {
  return bin * capacity / bin_count;
}

inline void enter_bin(thread_heap& h, slab* s, std::uint32_t used) {
  const unsigned b = bin_of(used, s->capacity);
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

inline void leave_bin(thread_heap& h, slab* s) {
  (s->previous != nullptr ? s->previous->next : h.bins[s->size_class][s->bin]) = s->next;
  if (s->next != nullptr) s->next->previous = s->previous;
  s->next = s->previous = nullptr;
  --h.binned;
}

inline slab* fullest(const thread_heap& h, std::size_t c) {
  for (unsigned b = bin_count; b-- > 0;)
    if (h.bins[c][b] != nullptr) return h.bins[c][b];
  return nullptr;
}

}  // namespace heapsmith
