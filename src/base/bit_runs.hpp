// Finds runs of set bits: pure arithmetic on words, no memory of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith {

inline constexpr std::size_t no_run = SIZE_MAX;

/// The lowest index i in [from, bits) with bits i … i+length-1 set and (i + bias) % align == 0;
/// no_run if no such run exists. `word_at(k)` yields bits 64k … 64k+63 and zeroes beyond `bits`.
/// `align` is a power of two. Complexity: one step per word and per change of bit.
template <class WordAt>
std::size_t find_run(std::size_t from, std::size_t bits, std::size_t length, std::size_t align,
                     std::size_t bias, WordAt word_at) {
  std::size_t run = 0, start = 0;
  for (std::size_t k = from / 64; k * 64 < bits; ++k) {
    const std::uint64_t word =
        k == from / 64 ? word_at(k) & (~std::uint64_t{0} << from % 64) : word_at(k);
    unsigned at = 0;
    while (at < 64) {
      const std::uint64_t rest = word >> at;
      if (rest == 0) break;
      if (const auto zeros = static_cast<unsigned>(std::countr_zero(rest)); zeros != 0) {
        run = 0;
        at += zeros;
        continue;
      }
      const unsigned ones = std::min(static_cast<unsigned>(std::countr_one(rest)), 64 - at);
      if (run == 0) start = k * 64 + at;
      run += ones;
      at += ones;
      const std::size_t first = ((start + bias + align - 1) & ~(align - 1)) - bias;
      if (first + length <= start + run) return first;
    }
    if (at < 64) run = 0;
  }
  return no_run;
}

/// Calls `change(k, mask)` for each word k that bits [first, first + length) touch.
template <class Change>
void for_each_word(std::size_t first, std::size_t length, Change change) {
  while (length != 0) {
    const std::size_t at = first % 64, here = std::min<std::size_t>(length, 64 - at);
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    change(first / 64, ones << at);
    first += here;
    length -= here;
  }
}

}  // namespace heapsmith
