// A bit for each bin that is not empty, in two levels, so that the next such bin is found fast.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heapsmith {

/**
 * A set of numbers below `Bits`, with a summary bit for each word that is not zero. One word needs
 * no summary.
 *
 * It consists of integers only, so zeroed memory is an empty map, and a copy is a valid map.
 * Complexity: constant, no loops.
 */
template <std::size_t Bits>
class bin_map {
 public:
  static constexpr std::size_t none = Bits;

  constexpr void set(std::size_t i) {
    words_[i / width] |= bit(i);
    if constexpr (has_summary) summary() |= bit(i / width);
  }

  constexpr void clear(std::size_t i) {
    if ((words_[i / width] &= ~bit(i)) != 0) return;
    if constexpr (has_summary) summary() &= ~bit(i / width);
  }

  [[nodiscard]] constexpr bool test(std::size_t i) const {
    return (words_[i / width] & bit(i)) != 0;
  }

  [[nodiscard]] constexpr bool empty() const { return summary() == 0; }

  /// The lowest member that is at least `i`, or `none`.
  [[nodiscard]] constexpr std::size_t first_at_or_above(std::size_t i) const {
    if (i >= Bits) return none;
    const std::size_t word = i / width;
    if (const map_word here = words_[word] >> (i % width); here != 0) return i + lowest(here);
    if constexpr (has_summary) {
      const map_word above = summary() & ~(bit(word) | (bit(word) - 1));
      if (above == 0) return none;
      const std::size_t next = lowest(above);
      return next * width + lowest(words_[next]);
    }
    return none;
  }

  /// The highest member, or `none`.
  [[nodiscard]] constexpr std::size_t last() const {
    if (summary() == 0) return none;
    const std::size_t word = has_summary ? highest(summary()) : 0;
    return word * width + highest(words_[word]);
  }

 private:
  using map_word = std::conditional_t<(Bits <= 32), std::uint32_t, std::uint64_t>;
  static constexpr std::size_t width = Bits <= 32 ? 32 : 64;
  static constexpr std::size_t words = (Bits + width - 1) / width;
  static constexpr bool has_summary = words > 1;
  static_assert(words <= width, "one summary word has a bit for each word");

  static constexpr map_word bit(std::size_t i) { return map_word{1} << (i % width); }
  static constexpr std::size_t lowest(map_word w) {
    return static_cast<std::size_t>(std::countr_zero(w));
  }
  static constexpr std::size_t highest(map_word w) {
    return static_cast<std::size_t>(std::bit_width(w)) - 1;
  }

  /// The last word; or the only one, which is zero if the map is empty, as a summary would be.
  constexpr map_word& summary() { return words_[has_summary ? words : 0]; }
  [[nodiscard]] constexpr const map_word& summary() const {
    return words_[has_summary ? words : 0];
  }

  map_word words_[words + has_summary] = {};
};

}  // namespace heapsmith
