// Sizes and words as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heapsmith {

/// `text` from `first` on, at most `length` characters. string_view's own substr() may throw.
constexpr std::string_view part(std::string_view text, std::size_t first,
                                std::size_t length = SIZE_MAX) {
  const std::size_t left = text.size() - first;
  return {text.data() + first, length < left ? length : left};
}

/// `text` up to `mark`, which is taken off `text` with it; all of `text` without a mark.
constexpr std::string_view split(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view front = part(text, 0, end);
  text = end == text.npos ? std::string_view() : part(text, end + 1);
  return front;
}

/// The number of a word in a list such as "0|1|json"; -1 if it is not in the list.
constexpr int number_of_word(std::string_view list, std::string_view word) {
  for (int number = 0; list.data() != nullptr; ++number)
    if (split(list, '|') == word) return number;
  return -1;
}

struct parsed_bytes {
  std::size_t value = 0;
  bool ok = false;
};

/// "64M" → 64 MiB. Also "64MB", "64MiB", lower case. K, M, G and T are powers of 1024.
/// Not ok: empty, anything else, overflow.
constexpr parsed_bytes parse_bytes(std::string_view text) {
  std::size_t value = 0, at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::size_t>(text[at] - '0');
    if (value > (SIZE_MAX - digit) / 10) return {};
    value = value * 10 + digit;
  }
  if (at == 0) return {};
  std::size_t shift = 0;
  if (at != text.size()) {
    const std::size_t unit = std::string_view("kmgt").find(static_cast<char>(text[at] | 0x20));
    if (unit == text.npos || number_of_word("|B|b|iB|ib", part(text, at + 1)) < 0) return {};
    shift = 10 * (unit + 1);
  }
  if (value > (SIZE_MAX >> shift)) return {};
  return {value << shift, true};
}

static_assert(parse_bytes("64M").value == 64u << 20 && parse_bytes("1GiB").ok &&
              !parse_bytes("1Q").ok && number_of_word("0|1|json", "json") == 2 &&
              number_of_word("0|1|json", "") == -1);

}  // namespace heapsmith
