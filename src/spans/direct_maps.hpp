// Direct maps: mappings outside the ranges, for blocks too large for spans; a table finds them.
#pragma once

#include <cstddef>

#include "base/atomic.hpp"
#include "base/hidden.hpp"
#include "os/lock.hpp"
#include "spans/spans.hpp"

namespace heapsmith::spans {

/// A zeroed mapping for `bytes`, aligned to `align`; null when the OS or a limit refuses. `holder`
/// may be null. `grew_from`: the bytes of the block that moves there to grow; 0: none does. It may
/// leave room behind it, for direct_remap(): address space without memory, which no limit counts.
HS_HIDDEN void* direct_map(std::size_t bytes, std::size_t align, account* holder = nullptr,
                           std::size_t grew_from = 0);

/// The usable bytes of a direct map that starts at `p`; 0 if none does.
std::size_t direct_map_bytes(const void* p);

/// The account that the direct map at `p` is held for, or null.
account* direct_map_account(const void* p);

/// Set by the first direct map.
[[gnu::visibility("hidden")]] extern atomic<bool> ever_mapped_directly;

/// Lets frees of foreign pointers pass without the lock while there has never been a direct map.
inline bool had_direct_maps() {
  // relaxed: a block's receiver asks after receiving it, which orders the store in direct_map()
  // too.
  return ever_mapped_directly.load(relaxed);
}

/// Whether `p` points into a direct map. False also in processes with very many direct maps.
bool lies_in_direct_map(const void* p);

/// Ends the direct map that starts at `p`; only after had_direct_maps(). False: none starts there.
/// Aborts if another thread is about to end it.
HS_HIDDEN bool direct_unmap(void* p);

/// Ends all direct maps of an account.
void direct_unmap_all(const account& holder);

/// Ends the mappings that the kernel refused to end, as far as it can now. Complexity: at most
/// eight times their number.
void direct_end_leftovers();

/// Moves or resizes it, by its room first; null and unchanged when refused. Then copying may do:
/// the kernel does not move pages that the program has locked, or parts of which it has given
/// advice for.
void* direct_remap(void* p, std::size_t bytes);

struct direct_map_stats {
  std::size_t maps, bytes;
};
direct_map_stats stats_of_direct_maps();

os::lock& the_direct_map_lock();

}  // namespace heapsmith::spans
