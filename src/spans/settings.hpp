// Settings of spans from the environment; read once, before the first range.
#pragma once

#include <cstddef>

namespace heapsmith::spans {

struct span_settings {
  std::size_t reserve_bytes = 0;  // HEAPSMITH_RESERVE: room for a range; 0: 1 TiB
  std::size_t cache_bytes = 0;    // HEAPSMITH_CACHE_BYTES; 0: adapt
  bool cache_is_fixed = false;    // it was given, be it 0
  std::size_t limit_bytes = 0;    // HEAPSMITH_LIMIT_BYTES; 0: none
};

/// Read from the environment on the first call; the first caller holds the spans lock.
span_settings& settings();

}  // namespace heapsmith::spans
