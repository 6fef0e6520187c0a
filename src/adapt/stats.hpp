// How the C API fills in the structures of statistics that callers supply.
#pragma once

#include <cstddef>

#include "base/extremes.hpp"
#include "base/units.hpp"
#include "os/libc.hpp"

namespace heapsmith::surface {

/// Whether `out` has room for a field beside `size`, which the caller has set to the size that it
/// knows.
template <class Stats>
bool can_take_stats(const Stats* out) {
  return out != nullptr && out->size >= 2 * sizeof out->size;
}

/// Effects: copies the fields that the caller knows. A field that its size cuts is left out.
/// Requires: can_take_stats(out). Returns: 0, as the C function does.
template <class Stats>
int give_stats(const Stats& all, Stats* out) {
  const auto known = round_down(smaller_of(out->size, sizeof all), sizeof out->size);
  memcpy(out, &all, known);
  out->size = known;
  return 0;
}

}  // namespace heapsmith::surface
