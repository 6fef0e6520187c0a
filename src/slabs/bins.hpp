// Occupancy bins: which of a class's waiting slabs to use first, in constant time.
//
// Filling the fullest slab first lets the emptiest drain, and an empty slab's memory serves anyone.
// A slab with `used` blocks of `capacity` lies in bin ceil(4·used / capacity) - 1; the countdown
// that free decrements is set to reach zero just when the slab belongs one bin lower. Slabs that
// are nearly full are apart: one that was full a moment ago has one block for malloc, and the
// search for the next slab would cost more than it gives. They have less than a sixteenth of their
// blocks free; of blocks above 512 bytes less than eight, or an eighth of the slab. See find_slab()
// in heap/supply.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// The bin of slabs that are nearly full.
inline constexpr unsigned last_bin = bin_count - 1;

constexpr std::uint32_t nearly_full(std::uint32_t capacity) {
  const std::uint32_t enough_to_serve = std::min(capacity / 8, 8u);
  return capacity - std::max(capacity / 16, enough_to_serve);
}

/// Slabs of fewer blocks use every second bin: an event for each second block would cost more than
/// the better order gives.
inline constexpr std::uint32_t least_for_all_bins = 32;

constexpr unsigned bin_of(std::uint32_t used, std::uint32_t capacity) {
  if (used > nearly_full(capacity)) return last_bin;
  const unsigned quarter = (used * last_bin - 1) / capacity;
  return capacity < least_for_all_bins ? quarter & ~1u : quarter;
}

/// The most blocks in use at which a slab no longer belongs to `bin`.
constexpr std::uint32_t below_bin(unsigned bin, std::uint32_t capacity) {
  return bin == last_bin ? nearly_full(capacity) : bin * capacity / last_bin;
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
  if (h.next_to_sweep == s) h.next_to_sweep = s->next;
  (s->previous != nullptr ? s->previous->next : h.bins[s->size_class][s->bin]) = s->next;
  if (s->next != nullptr) s->next->previous = s->previous;
  s->next = s->previous = nullptr;
  --h.binned;
}

/// A slab of the fullest bin that has any, nearly full ones left out; or null.
inline slab* fullest(const thread_heap& h, std::size_t c) {
  for (unsigned b = last_bin; b-- > 0;)
    if (h.bins[c][b] != nullptr) return h.bins[c][b];
  return nullptr;
}

inline slab* first_nearly_full(const thread_heap& h, std::size_t c) {
  return h.bins[c][last_bin];
}

/// Whether fewer than 16 slabs are nearly full: what is free in them is less than another slab.
inline bool nearly_full_are_few(const thread_heap& h, std::size_t c) {
  unsigned n = 0;
  for (const slab* s = h.bins[c][last_bin]; s != nullptr; s = s->next)
    if (++n == 16) return false;
  return true;
}

}  // namespace heapsmith
