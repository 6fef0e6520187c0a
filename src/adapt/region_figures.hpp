// How regions of every kind show their figures and blocks in the C API.
#pragma once

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <cstddef>

#include "heapsmith/region.h"
#include "region/engine.hpp"

namespace heapsmith::regions {

/// Copies as much of `all` as the caller's structure has room for, which its first field says.
/// Returns: what the C functions do: 1, or 0 and EINVAL.
template <class Figures>
int give_figures(Figures all, Figures* out) {
  if (out == nullptr || out->size <= sizeof out->size) return errno = EINVAL, 0;
  all.size = std::min(out->size, sizeof all);
  memcpy(out, &all, all.size);
  return 1;
}

inline std::size_t edge_bytes(const figures& f) {
  return f.buffer_bytes - f.block_bytes - f.buffers * header_bytes;
}

/// `control_bytes`: how large the control data outside the buffers is.
inline hs_region_statistics statistics_of(const figures& f, std::size_t control_bytes) {
  hs_region_statistics s = {};
  s.size = sizeof s;
  s.buffer_bytes = f.buffer_bytes;
  s.in_use_bytes = f.in_use;
  s.available_bytes = f.block_bytes - f.in_use;
  s.deferred_bytes = f.deferred;
  s.peak_bytes = f.peak;
  s.largest_free_bytes = f.largest_free;
  s.metadata_bytes = control_bytes + (f.blocks + f.buffers) * header_bytes;
  s.edge_bytes = edge_bytes(f);
  s.failed_requests = f.failed;
  s.blocks = f.blocks;
  s.buffers = f.buffers;
  return s;
}

inline hs_region_state state_of(block_info i) {
  if (i.has(is_deferred)) return HS_REGION_DEFERRED;
  return i.has(is_free) ? HS_REGION_FREE : HS_REGION_IN_USE;
}

inline hs_region_block shown(void* payload, block_info i) {
  return {payload, usable_bytes(i.size()), state_of(i)};
}

}  // namespace heapsmith::regions
