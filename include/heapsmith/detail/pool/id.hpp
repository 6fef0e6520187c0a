// The numbers of pools, by which handles of other pools are told.
#pragma once

#include <cstdint>

namespace heapsmith::detail {

/// Returns: 1 to 4095, and then from 1 again.
inline std::uint32_t next_pool_id() noexcept {
  static std::uint32_t count = 0;
  return __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % 4095 + 1;  // pairs with nothing
}

}  // namespace heapsmith::detail
