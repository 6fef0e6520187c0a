// Measures the figures, and publishes them word by word: threads that refresh them at once may
// leave some of each other's, and none waits.
#include "adapt/dialects/jemalloc/figures.hpp"

#include <string.h>

#include <algorithm>

#include "adapt/dialects/jemalloc/arenas.hpp"
#include "base/atomic.hpp"
#include "os/os.hpp"
#include "watch/stats.hpp"

namespace heapsmith::jemalloc {
namespace {

static_assert(sizeof(figures) % sizeof(std::size_t) == 0);
constexpr std::size_t word_count = sizeof(figures) / sizeof(std::size_t);

constinit atomic<std::size_t> words[word_count];
// release after the words of the first epoch are written, acquire before they are read.
constinit atomic<std::uint64_t> epoch{0};

/// Threads go on meanwhile, so that a part may have grown beyond the sum.
void subtract(std::size_t& from, std::size_t part) {
  from -= std::min(from, part);
}

void subtract(watch::class_counts& from, const watch::class_counts& part) {
  for (std::size_t c = 0; c < class_count; ++c) {
    subtract(from.of[c].blocks, part.of[c].blocks);
    subtract(from.of[c].slabs, part.of[c].slabs);
    subtract(from.of[c].slabs_with_room, part.of[c].slabs_with_room);
  }
}

/// Leaves in the figures of arena 0 what lies in no other arena.
void separate_arenas(figures& f) {
  f.of_first = f.of_all;
  f.classes_of_first = f.classes_of_all;
  for (unsigned n = count_arenas() - 1; n != 0; --n) {
    const first_class_heap* const heap = heap_of_arena(n);
    if (heap == nullptr) continue;
    const arena_figures part = measure_arena(n);
    subtract(f.of_first.small, part.small);
    subtract(f.of_first.large, part.large);
    subtract(f.of_first.active, part.active);
    subtract(f.classes_of_first, watch::count_classes(*heap));
  }
}

figures measure_now() {
  figures f = {};
  const hs_statistics s = watch::measure();
  f.allocated = s.in_use_bytes;
  f.active = s.slab_bytes + s.large_bytes + s.direct_bytes;
  f.metadata = s.metadata_bytes;
  f.cached = s.cached_bytes;
  f.retained = s.committed_bytes;
  subtract(f.retained, s.slab_bytes + s.large_bytes + s.cached_bytes);
  f.purges = s.purges;
  f.purged_pages = s.purged_bytes / os::page_bytes();
  f.heaps = s.heaps;
  f.of_all = {s.in_use_bytes, s.large_bytes + s.direct_bytes, f.active};
  subtract(f.of_all.small, f.of_all.large);
  f.classes_of_all = watch::count_classes();
  separate_arenas(f);
  return f;
}

}  // namespace

std::uint64_t refresh_figures() {
  const figures f = measure_now();
  std::size_t plain[word_count];
  memcpy(plain, &f, sizeof plain);
  for (std::size_t i = 0; i < word_count; ++i) words[i].store(plain[i], relaxed);
  return epoch.fetch_add(1, release) + 1;
}

figures last_figures() {
  if (epoch.load(acquire) == 0) refresh_figures();
  std::size_t plain[word_count];
  for (std::size_t i = 0; i < word_count; ++i) plain[i] = words[i].load(relaxed);
  figures f;
  memcpy(&f, plain, sizeof f);
  return f;
}

arena_figures measure_arena(unsigned n) {
  const first_class_heap* const f = heap_of_arena(n);
  if (f == nullptr) return {};
  const hs_heap_statistics s = watch::measure(*f);
  const std::size_t large = s.large_bytes + s.direct_bytes;
  return {s.in_use_bytes - large, large, s.slab_bytes + large};
}

}  // namespace heapsmith::jemalloc
