// Zeroed memory is mostly tables. A table that will be filled is best backed with memory at once: a
// page that is first read and then written faults twice, and the second fault interrupts all other
// cores. A table that stays sparse must not be. So the heap looks at what became of the last
// tables. docs/decisions/0030-zeroed-blocks-by-evidence.md
#include "heap/filling.hpp"

#include <string.h>

#include <algorithm>

#include "base/atomic.hpp"
#include "os/os.hpp"
#include "slabs/slab.hpp"

namespace heapsmith {
namespace {

/// Shorter blocks are not watched: the system calls would cost more than their memory.
constexpr std::size_t least_watched = 1 * MiB;

/// Pages of a watched block that have no memory at first, whatever the others have. If all of them
/// have some in the end, the program has filled the block.
constexpr std::size_t witnesses = 4;

/// 0: the last watched block stayed sparse. Two filled ones in a row reach `believed`.
/// relaxed: a guess, which publishes nothing.
constinit atomic<unsigned> filled{0};
constexpr unsigned believed = 2;

/// Witness `k` of a block: in the middle of its k-th part.
char* witness(char* start, std::size_t bytes, std::size_t k) {
  const std::size_t at = bytes / witnesses * k + bytes / witnesses / 2;
  return start + at / os::page_bytes() * os::page_bytes();
}

/// Takes the memory away, and with it what was written there.
void forget(char* start, std::size_t bytes) {
  if (!os::decommit(start, bytes)) memset(start, 0, bytes);
}

}  // namespace

void zero_large(const spans::span& sp) {
  const bool fills = filled.load(relaxed) >= believed;
  const std::size_t bytes = sp.slices * slice_bytes;
  const bool watched = bytes >= least_watched;
  // With one call for each stretch of slices that were used before, or were not.
  for (std::size_t i = 0; i < sp.slices;) {
    const std::size_t first = i;
    const bool clean = sp.slice_is_clean(first);
    while (i < sp.slices && sp.slice_is_clean(i) == clean) ++i;
    char* const start = sp.start + first * slice_bytes;
    const std::size_t length = (i - first) * slice_bytes;
    if (clean) {
      if (fills) os::populate(start, length);
    } else if (fills || !watched) {
      memset(start, 0, length);
    } else {
      forget(start, length);
    }
  }
  slab_in(sp.first)->bin = watched ? watched_bin : 0;
  if (!watched || !fills) return;
  for (std::size_t k = 0; k < witnesses; ++k) forget(witness(sp.start, bytes, k), os::page_bytes());
}

bool is_watched(const spans::record* first) {
  return slab_in(first)->bin == watched_bin;
}

void ignore_filling(spans::record* first) {
  slab_in(first)->bin = 0;
}

void note_filling(spans::record* first) {
  const slab* const s = slab_in(first);
  bool all = true;
  for (std::size_t k = 0; k < witnesses && all; ++k)
    all = os::has_memory(witness(s->start, first->slices * slice_bytes, k));
  filled.store(all ? std::min(filled.load(relaxed) + 1, believed) : 0, relaxed);
}

}  // namespace heapsmith
