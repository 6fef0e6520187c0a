// A bit for each bin that is not empty, in two levels, so that the next such bin is found fast.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith {

/**
 * A set of numbers below `Bits`, with a summary bit for each word that is not zero.
 *
 * It consists of integers only, so zeroed memory is an empty map, and a copy is a valid map.
 * Complexity: constant, no loops.
 */
template <std::size_t Bits>
class bin_map {
 public:
  static constexpr std::size_t none = Bits;

  constexpr void set(std::size_t i) {
    words_[i / 64] |= bit(i);
    summary_ |= bit(i / 64);
  }

  constexpr void clear(std::size_t i) {
    if ((words_[i / 64] &= ~bit(i)) == 0) summary_ &= ~bit(i / 64);
  }

  [[nodiscard]] constexpr bool test(std::size_t i) const { return (words_[i / 64] & bit(i)) != 0; }

  [[nodiscard]] constexpr bool empty() const { return summary_ == 0; }

  /// The lowest member that is at least `i`, or `none`.
  [[nodiscard]] constexpr std::size_t first_at_or_above(std::size_t i) const {
    if (i >= Bits) return none;
    const std::size_t word = i / 64;
    if (const std::uint64_t here = words_[word] >> (i % 64); here != 0) return i + lowest(here);
    const std::uint64_t above = summary_ & ~(bit(word) | (bit(word) - 1));
    if (above == 0) return none;
    const std::size_t next = lowest(above);
    return next * 64 + lowest(words_[next]);
  }

  /// The highest member, or `none`.
  [[nodiscard]] constexpr std::size_t last() const {
    if (summary_ == 0) return none;
    const std::size_t word = highest(summary_);
    return word * 64 + highest(words_[word]);
  }

 private:
  static constexpr std::size_t words = (Bits + 63) / 64;
  static_assert(words <= 64, "one summary word has a bit for each word");

  static constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }
  static constexpr std::size_t lowest(std::uint64_t w) {
    return static_cast<std::size_t>(std::countr_zero(w));
  }
  static constexpr std::size_t highest(std::uint64_t w) {
    return static_cast<std::size_t>(std::bit_width(w)) - 1;
  }

  std::uint64_t summary_ = 0;
  std::uint64_t words_[words] = {};
};

}  // namespace heapsmith
