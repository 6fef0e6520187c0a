// Bits that are searched in few steps: levels of words above them say which words have a bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heapsmith::detail {

/**
 * A view of `bits` bits in words, and of the levels above them. It does not own the words.
 *
 * Bit `w` of a level is set if word `w` of the level below is not zero. The levels lie one behind
 * the other, the bits themselves first; the last level is one word. So a search looks at two words
 * of each level at most, and there are as many levels as a number below `bits` has digits of 6
 * bits.
 *
 * Source: the van Emde Boas tree with words for clusters, as in Linux's find_next_bit over maps of
 * maps.
 */
struct bit_tree {
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr unsigned most_levels = 11;

  std::uint64_t* words;
  std::size_t bits;

  /// Returns: how many words hold `n` bits, without the levels above them.
  static constexpr std::size_t words_of(std::size_t n) { return n / 64 + (n % 64 != 0); }
  /// Returns: how many words hold `n` bits and the levels above them.
  static constexpr std::size_t all_words_of(std::size_t n) {
    std::size_t all = 0;
    while (n > 1) all += n = words_of(n);
    return all == 0 ? n : all;
  }

  /// Returns: the first bit from `i` on that is set, or `none`.
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    const std::uint64_t* level[most_levels];
    const std::uint64_t* at = words;
    std::size_t n = bits;
    for (unsigned k = 0;; ++k) {
      level[k] = at;
      const std::uint64_t found = i < n ? at[i / 64] >> i % 64 : 0;
      if (found != 0) return down(level, k, i + static_cast<std::size_t>(std::countr_zero(found)));
      if (n <= 64) return none;
      n = words_of(n);
      at += n;
      i = i / 64 + 1;
    }
  }

  /// Returns: the last bit up to `i`, and with it, that is set, or `none`.
  [[nodiscard]] std::size_t previous(std::size_t i) const noexcept {
    const std::uint64_t* level[most_levels];
    const std::uint64_t* at = words;
    std::size_t n = bits;
    for (unsigned k = 0;; ++k) {
      level[k] = at;
      const std::uint64_t found = at[i / 64] << (63 - i % 64);
      if (found != 0)
        return down_last(level, k, i - static_cast<std::size_t>(std::countl_zero(found)));
      if (i < 64) return none;
      n = words_of(n);
      at += n;
      i = i / 64 - 1;
    }
  }

  /// Effects: word `w` of the bits got its first bit: says so in the levels above.
  /// Returns: whether no other bit is set.
  bool note_first(std::size_t w) const noexcept {
    std::size_t n = words_of(bits);
    for (std::uint64_t* level = words + n; n > 1; level += n) {
      std::uint64_t& word = level[w / 64];
      const bool had_any = word != 0;
      word |= std::uint64_t{1} << w % 64;
      if (had_any) return false;
      n = words_of(n);
      w /= 64;
    }
    return true;
  }

  /// Effects: word `w` of the bits lost its last bit: says so in the levels above.
  /// Returns: whether no bit is set.
  bool note_last(std::size_t w) const noexcept {
    std::size_t n = words_of(bits);
    for (std::uint64_t* level = words + n; n > 1; level += n) {
      std::uint64_t& word = level[w / 64];
      word &= ~(std::uint64_t{1} << w % 64);
      if (word != 0) return false;
      n = words_of(n);
      w /= 64;
    }
    return true;
  }

  void set(std::size_t i) const noexcept {
    std::uint64_t& word = words[i / 64];
    const bool had_any = word != 0;
    word |= std::uint64_t{1} << i % 64;
    if (!had_any) note_first(i / 64);
  }
  void clear(std::size_t i) const noexcept {
    std::uint64_t& word = words[i / 64];
    word &= ~(std::uint64_t{1} << i % 64);
    if (word == 0) note_last(i / 64);
  }

  /// Effects: makes the levels above from the bits. Requires: these levels are zero.
  void note_all() const noexcept {
    for (std::size_t w = 0; w < words_of(bits); ++w)
      if (words[w] != 0) note_first(w);
  }

  /// Returns: whether every level agrees with the one below.
  [[nodiscard]] bool is_sound() const noexcept {
    const std::uint64_t* below = words;
    for (std::size_t n = words_of(bits); n > 1;) {
      const std::uint64_t* const level = below + n;
      for (std::size_t w = 0; w < n; ++w)
        if ((level[w / 64] >> w % 64 & 1) != std::uint64_t{below[w] != 0}) return false;
      below = level;
      n = words_of(n);
    }
    return true;
  }

 private:
  static std::size_t down(const std::uint64_t* const* level, unsigned k, std::size_t i) noexcept {
    while (k-- != 0) i = i * 64 + static_cast<std::size_t>(std::countr_zero(level[k][i]));
    return i;
  }
  static std::size_t down_last(const std::uint64_t* const* level, unsigned k,
                               std::size_t i) noexcept {
    while (k-- != 0) i = i * 64 + 63 - static_cast<std::size_t>(std::countl_zero(level[k][i]));
    return i;
  }
};

}  // namespace heapsmith::detail
