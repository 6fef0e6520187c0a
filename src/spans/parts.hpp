// Parts begin, when their first slice is taken, and end, when their slices go back to the OS.
// docs/decisions/0046-huge-pages.md
#pragma once

#include <cstddef>
#include <cstdint>

#include "spans/advice.hpp"
#include "spans/range.hpp"
#include "spans/spans.hpp"

namespace heapsmith::spans {

/// The bits of a part in its word, which describes two.
constexpr std::uint32_t part_of(std::uint64_t word, std::size_t part) {
  return static_cast<std::uint32_t>(word >> (part % 2 * part_slices));
}
static_assert(part_slices == 32);

inline bool is_advised(const range& r, std::size_t part) {
  return &r == &main_range && is_advised(part);
}

/// Slices [first, first + n), which are free, are about to be taken, some of them clean. A part of
/// which all slices are clean is advised now or not at all. Complexity: linear in n.
void begin_parts_locked(const range& r, std::size_t first, std::size_t n, filling);

/// The part is advised no more, so that its free slices can be released one by one. False: it is
/// still.
bool break_part_locked(std::size_t part);

}  // namespace heapsmith::spans
