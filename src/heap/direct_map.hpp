// Blocks of 32 MiB and more: mappings of their own, found by address in a table.
#pragma once

#include <cstddef>

#include "os/lock.hpp"
#include "spans/spans.hpp"

namespace heapsmith {

/// A zeroed mapping for `bytes`, aligned to `align`; null when the OS or a limit refuses. `holder`
/// may be null.
void* direct_map(std::size_t bytes, std::size_t align, spans::account* holder = nullptr);

/// The usable bytes of a direct map that starts at `p`; 0 when none does.
std::size_t direct_map_bytes(const void* p);

/// For which account it is held; null: for none.
spans::account* direct_map_account(const void* p);

/// Ends the direct map that starts at `p`. False: none does.
bool direct_unmap(void* p);

/// Ends all direct maps of an account.
void direct_unmap_all(const spans::account& holder);

/// Moves or resizes it; null and unchanged when refused.
void* direct_remap(void* p, std::size_t bytes);

struct direct_map_counts {
  std::size_t maps, bytes;
};
direct_map_counts count_direct_maps();

os::lock& the_direct_map_lock();

}  // namespace heapsmith
