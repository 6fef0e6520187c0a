// The statistics that mallctl reads: measured when a program writes `epoch`, and unchanged until it
// does so again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "watch/classes.hpp"

namespace heapsmith::jemalloc {

/// Sums of an arena, in bytes.
struct arena_figures {
  std::size_t small = 0;   // blocks in use, cut from slabs
  std::size_t large = 0;   // blocks in use, above 32 KiB
  std::size_t active = 0;  // slabs, large blocks and direct maps
};

/// Numbers of all kinds, so that they can be published word by word.
struct figures {
  std::size_t allocated, active, metadata, cached, retained;
  std::size_t purges, purged_pages, heaps;
  arena_figures of_all, of_first;  // all arenas, and arena 0: what lies in no created arena
  watch::class_counts classes_of_all, classes_of_first;

  std::size_t resident() const { return active + cached + metadata; }
};

/// Measures them. Complexity: linear in the number of slabs.
/// Returns: the new epoch.
std::uint64_t refresh_figures();

/// Those of the last epoch, the first of which begins here if need be.
figures last_figures();

/// Those of a created arena, now.
arena_figures measure_arena(unsigned n);

}  // namespace heapsmith::jemalloc
