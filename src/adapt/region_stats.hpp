// How the regions over memory show their statistics and blocks in the C API.
#pragma once

#include <cstddef>

#include "heapsmith/region.h"
#include "region/engine.hpp"

namespace heapsmith::regions {

inline std::size_t edge_bytes(const stats& s) {
  return s.buffer_bytes - s.block_bytes - s.buffers * header_bytes;
}

/// `control_bytes`: how large the control data outside the buffers is.
inline hs_region_statistics shown(const stats& s, std::size_t control_bytes) {
  hs_region_statistics out = {};
  out.buffer_bytes = s.buffer_bytes;
  out.in_use_bytes = s.in_use;
  out.available_bytes = s.block_bytes - s.in_use;
  out.deferred_bytes = s.deferred;
  out.peak_bytes = s.peak;
  out.largest_free_bytes = s.largest_free;
  out.metadata_bytes = control_bytes + (s.blocks + s.buffers) * header_bytes;
  out.edge_bytes = edge_bytes(s);
  out.failed_requests = s.failed;
  out.blocks = s.blocks;
  out.buffers = s.buffers;
  return out;
}

inline hs_region_state state_of(block_info i) {
  if (i.has(is_deferred)) return HS_REGION_DEFERRED;
  return i.has(is_free) ? HS_REGION_FREE : HS_REGION_IN_USE;
}

inline hs_region_block shown(void* payload, block_info i) {
  return {payload, usable_bytes(i.size()), state_of(i)};
}

}  // namespace heapsmith::regions
