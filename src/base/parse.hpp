// Sizes as people write them: digits with an optional K, M, G or T (powers of 1024).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith {

struct parsed_bytes {
  std::size_t value = 0;
  bool ok = false;
};

/// "64M" → 64 MiB. Also "64MB", "64MiB", lower case. Not ok: null, empty, anything else, overflow.
constexpr parsed_bytes parse_bytes(const char* text) {
  if (text == nullptr || *text < '0' || *text > '9') return {};
  std::size_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    const auto digit = static_cast<std::size_t>(*text - '0');
    if (value > (SIZE_MAX - digit) / 10) return {};
    value = value * 10 + digit;
  }
  unsigned shift = 0;
  switch (*text) {
    case 'k':
    case 'K':
      shift = 10;
      break;
    case 'm':
    case 'M':
      shift = 20;
      break;
    case 'g':
    case 'G':
      shift = 30;
      break;
    case 't':
    case 'T':
      shift = 40;
      break;
    default:
      break;
  }
  if (shift != 0) {
    ++text;
    if (*text == 'i' && (text[1] == 'B' || text[1] == 'b')) ++text;
    if (*text == 'B' || *text == 'b') ++text;
  }
  if (*text != '\0' || value > (SIZE_MAX >> shift)) return {};
  return {value << shift, true};
}

static_assert(parse_bytes("64M").value == 64u << 20 && parse_bytes("1GiB").ok &&
              !parse_bytes("1Q").ok);

}  // namespace heapsmith
