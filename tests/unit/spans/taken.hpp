// Spans that tests take and give back, many at a time.
#pragma once

#include <string.h>

#include <algorithm>
#include <vector>

#include "spans/spans.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {

/// So much stays free after use fell to nothing.
inline constexpr std::size_t little_free =
    (giving_back::always_kept + giving_back::slices_at_once) * slice_bytes;

inline span take_touched(std::size_t slices) {
  const span sp = take(slices, 1, growth::allowed);
  if (sp) memset(sp.start, 1, slices * slice_bytes);
  return sp;
}

/// Takes spans of one length, every one of them touched.
inline std::vector<span> take_many(std::size_t count, std::size_t slices) {
  std::vector<span> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(take_touched(slices));
  return taken;
}

/// Gives spans back, each step-th of them. Returns the most slices that one of them released.
inline std::size_t give_many(const std::vector<span>& spans, std::size_t from, std::size_t step) {
  std::size_t most = 0;
  for (std::size_t i = from; i < spans.size(); i += step) {
    const std::size_t before = stats().purged_bytes;
    give(spans[i].first);
    most = std::max(most, (stats().purged_bytes - before) / slice_bytes);
  }
  return most;
}

}  // namespace heapsmith::spans
