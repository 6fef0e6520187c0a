// Which bytes of its blocks a replay touches, as the program did.
#pragma once

#include <cstddef>
#include <cstring>

namespace heapsmith::replayer {

enum class touch {
  none,
  first,     // the first word of each block
  measured,  // small blocks whole, large ones as far as the program had touched them
};

inline constexpr std::size_t page = 4096;
/// Larger blocks are touched once a page: the caches do not hold them anyway.
inline constexpr std::size_t written_whole = 32 * 1024;

/// Effects: writes the bytes from `from` to `to` of a block.
template <touch touches>
void write(void* p, std::size_t from, std::size_t to) {
  if (touches == touch::none || to == 0) return;
  auto* bytes = static_cast<unsigned char*>(p);
  if (touches == touch::first) {
    if (from == 0) *static_cast<volatile unsigned char*>(bytes) = 1;
    return;
  }
  if (to <= written_whole) {
    if (to > from) memset(bytes + from, 0x5A, to - from);
    return;
  }
  for (std::size_t at = from; at < to; at += page)
    *static_cast<volatile unsigned char*>(bytes + at) = 1;
}

template <touch touches>
void read(const void* p) {
  if (touches != touch::none) (void)*static_cast<const volatile unsigned char*>(p);
}

}  // namespace heapsmith::replayer
