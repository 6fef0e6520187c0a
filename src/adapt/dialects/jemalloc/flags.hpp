// The flags of mallocx and its kin, as arithmetic: bits 0-5 are the logarithm of the alignment, bit
// 6 asks for zeros, bits 8-19 name a cache, bits 20-31 an arena.
#pragma once

#include <cstddef>

namespace heapsmith::jemalloc {

/// Caches have no meaning here: every block comes from the heap of its thread.
inline constexpr unsigned cache_mask = 0xfffu << 8;

constexpr std::size_t align_of(unsigned flags) {
  return std::size_t{1} << (flags & 0x3f);
}

inline constexpr unsigned zero_flag = 0x40;

constexpr bool wants_zeros(unsigned flags) {
  return (flags & zero_flag) != 0;
}

/// The arena that the flags name. 0, the process's heap, if they name none.
constexpr unsigned arena_in(unsigned flags) {
  const unsigned one_more = flags >> 20;
  return one_more == 0 ? 0 : one_more - 1;
}

constexpr bool names_arena(unsigned flags) {
  return flags >> 20 != 0;
}

/// Whether malloc does all that the flags ask for.
constexpr bool are_plain(unsigned flags) {
  return (flags & ~cache_mask) == 0;
}

static_assert(align_of(12) == 4096 && arena_in(5u << 20) == 4 && arena_in(0xfffu << 20) == 4094);
static_assert(are_plain(1 << 8) && !are_plain(zero_flag) && !are_plain(1u << 20));

}  // namespace heapsmith::jemalloc
