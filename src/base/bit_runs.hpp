// Finds runs of set bits: pure arithmetic on words, no memory of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith {

inline constexpr std::size_t no_run = SIZE_MAX;

/// The set bits at the two ends of an interval of bits, and its longest run of set bits.
struct run_summary {
  std::uint32_t head = 0, tail = 0, longest = 0;
  bool operator==(const run_summary&) const = default;
};

/// The length of the longest run of set bits in a word. Runs of 1, 2, 4, … 64 bits come from each
/// other by one shift; the longest run is put together from them, the largest first.
constexpr std::uint32_t longest_run(std::uint64_t word) {
  std::uint64_t runs[7] = {word};  // bit i of runs[e]: 2^e bits from i on are set
  for (unsigned e = 1; e < 7; ++e) runs[e] = runs[e - 1] & (runs[e - 1] >> (1U << (e - 1)));
  if (runs[6] != 0) return 64;
  std::uint64_t starts = ~std::uint64_t{0};
  std::uint32_t length = 0;
  for (unsigned e = 6; e-- > 0;) {
    const std::uint64_t longer = starts & (runs[e] >> length);
    if (longer == 0) continue;
    starts = longer;
    length += 1U << e;
  }
  return length;
}

constexpr run_summary summary_of(std::uint64_t word) {
  // Most words have no run, or one: adding the lowest bit carries through the whole run.
  if (word == 0) return {};
  const auto head = static_cast<std::uint32_t>(std::countr_one(word));
  const auto tail = static_cast<std::uint32_t>(std::countl_one(word));
  const std::uint64_t lowest = word & (0 - word);
  if (((word + lowest) & word) == 0)
    return {head, tail,
            static_cast<std::uint32_t>(64 - std::countl_zero(word) - std::countr_zero(word))};
  return {head, tail, longest_run(word)};
}

/// The summary of two neighbouring intervals of `left_bits` and `right_bits`.
constexpr run_summary joined(run_summary left, std::uint32_t left_bits, run_summary right,
                             std::uint32_t right_bits) {
  return {left.head == left_bits ? left_bits + right.head : left.head,
          right.tail == right_bits ? right_bits + left.tail : right.tail,
          std::max({left.longest, right.longest, left.tail + right.head})};
}

/// A search for a run of `length` set bits, from low words to high ones.
struct run_search {
  std::size_t length;
  std::size_t carry = 0;  // set bits directly before what comes next

  /// Goes past `bits` bits that have this summary and end no run long enough.
  void pass(run_summary here, std::size_t bits) {
    carry = here.head == bits ? carry + bits : here.tail;
  }

  /// The start of the run that ends in word `k` or lies in it; no_run if none does.
  std::size_t in_word(std::size_t k, std::uint64_t word) {
    const auto head = static_cast<std::size_t>(std::countr_one(word));
    if (carry + head >= length) return k * 64 - carry;
    if (length < 64) {
      std::uint64_t starts = word;  // of runs of `run` bits
      for (std::size_t run = 1, more; run < length; run += more) {
        more = std::min(run, length - run);
        starts &= starts >> more;
      }
      if (starts != 0) return k * 64 + static_cast<std::size_t>(std::countr_zero(starts));
    }
    carry = head == 64 ? carry + 64 : static_cast<std::size_t>(std::countl_one(word));
    return no_run;
  }
};

/// The lowest index i in [from, bits) with bits i … i+length-1 set; no_run if no such run exists.
/// `word_at(k)` yields bits 64k … 64k+63, zeroes beyond `bits`. Complexity: linear in the words.
template <class WordAt>
std::size_t find_run(std::size_t from, std::size_t bits, std::size_t length, WordAt word_at) {
  run_search s{length};
  std::uint64_t above = ~std::uint64_t{0} << (from % 64);
  for (std::size_t k = from / 64; k * 64 < bits; ++k, above = ~std::uint64_t{0}) {
    const std::uint64_t word = word_at(k) & above;
    if (word == 0) {
      s.carry = 0;
    } else if (const std::size_t at = s.in_word(k, word); at != no_run) {
      return at;
    }
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
