// Blocks of 32 MiB and more: mappings of their own, found by address in a table.
#pragma once

#include <cstddef>

#include "os/lock.hpp"

namespace heapsmith {

/// A zeroed mapping for `bytes`, aligned to `align`; null when the OS or the limit refuses.
void* direct_map(std::size_t bytes, std::size_t align);

/// The usable bytes of a direct map that starts at `p`; 0 when none does.
std::size_t direct_map_bytes(const void* p);

/// Ends the direct map that starts at `p`. False: none does.
bool direct_unmap(void* p);

/// Moves or resizes it; null and unchanged when refused.
void* direct_remap(void* p, std::size_t bytes);

struct direct_map_counts {
  std::size_t maps, bytes;
};
direct_map_counts count_direct_maps();

os::lock& the_direct_map_lock();

}  // namespace heapsmith
