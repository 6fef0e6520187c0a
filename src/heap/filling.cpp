// Zeroed memory is mostly tables. A table that will be filled is best backed with memory at once: a
// page that is first read and then written faults twice, and the second fault interrupts all other
// cores. A table that stays sparse must not be. So the heap looks at what became of the last
// tables: when they are freed, and at the youngest one when the next is wanted.
// docs/decisions/0030-zeroed-blocks-by-evidence.md, 0039-evidence-before-the-free.md
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

/// How the last watched blocks were used. 0: one was freed sparse, or nothing is known. 1: the
/// last one was filled. `believed` and more: two in a row were, and the next ones are treated as
/// such, until one is freed sparse or as many are doubted in a row as lie between here and there.
/// relaxed, and not changed in one step: a guess, which publishes nothing. A lost update costs a
/// table more of evidence.
constinit atomic<unsigned> trust{0};
constexpr unsigned believed = 2;
constexpr unsigned doubts = 8;

void note_filled() {
  trust.store(trust.load(relaxed) == 0 ? 1 : believed + doubts - 1, relaxed);
}

void note_doubt() {
  const unsigned t = trust.load(relaxed);
  trust.store(t > believed ? t - 1 : 0, relaxed);
}

/// The youngest watched block, until it is looked at or freed: its address, and its slices in the
/// bits that are zero there. One word, so that both are of one block; a program that never frees
/// its tables gives no other evidence. relaxed: what is looked at is never read or written.
constinit atomic<std::uintptr_t> youngest{0};
static_assert(direct_map_min / slice_bytes < slice_bytes);

/// The address of the last block that was found filled before it was freed. Its end says nothing
/// new: two blocks in a row must be filled, not one block twice. relaxed, as `trust`.
constinit atomic<std::uintptr_t> seen{0};

std::uintptr_t address(const char* start) {
  return reinterpret_cast<std::uintptr_t>(start);
}

/// Witness `k` of a block, in its k-th part. A table that is used at regular distances touches the
/// middle of each part, or no middle, so the witnesses lie at irregular places.
char* witness(char* start, std::size_t bytes, std::size_t k) {
  constexpr std::size_t thousandths[witnesses] = {618, 236, 854, 472};
  const std::size_t part = bytes / witnesses, at = part * k + part / 1000 * thousandths[k];
  return start + at / os::page_bytes() * os::page_bytes();
}

bool is_filled(char* start, std::size_t bytes) {
  for (std::size_t k = 0; k < witnesses; ++k)
    if (!os::has_memory(witness(start, bytes, k))) return false;
  return true;
}

/// Looks at the youngest watched block, before the next one. If it is not filled it may yet be:
/// that is a doubt, not evidence. Another thread may free the block meanwhile, so that these pages
/// are another block's or nobody's. mincore only asks: it is harmless for any address, and at worst
/// the guess is wrong.
void look_at_youngest() {
  const std::uintptr_t word = youngest.exchange(0, relaxed);
  if (word == 0) return;
  const std::size_t slices = word % slice_bytes;
  const std::uintptr_t at = word - slices;
  if (!is_filled(reinterpret_cast<char*>(at), slices * slice_bytes)) return note_doubt();
  seen.store(at, relaxed);
  note_filled();
}

/// The block ends, or is read: nobody shall look at it.
void forget_youngest(const char* start) {
  std::uintptr_t word = youngest.load(relaxed);
  if (word - word % slice_bytes == address(start))
    youngest.compare_exchange_strong(word, 0, relaxed);
}

}  // namespace

void zero_large(const spans::span& sp, std::size_t bytes) {
  const std::size_t span_bytes = sp.slices * slice_bytes;
  const bool is_long = span_bytes >= least_watched;
  if (is_long) look_at_youngest();
  const bool fills = trust.load(relaxed) >= believed;
  // With one call for each stretch of slices that were used before, or were not.
  for (std::size_t i = 0; i < sp.slices;) {
    const std::size_t first = i;
    const bool clean = sp.slice_is_clean(first);
    while (i < sp.slices && sp.slice_is_clean(i) == clean) ++i;
    char* const start = sp.start + first * slice_bytes;
    const std::size_t length = std::min(i * slice_bytes, bytes) - first * slice_bytes;
    if (clean) {
      if (fills) os::populate(start, length);
    } else if (fills || !is_long) {
      memset(start, 0, length);
    } else {
      spans::forget_contents(start, length);
    }
  }
  // A page of a huge page says nothing.
  const bool watched = is_long && !spans::lies_on_advised(witness(sp.start, span_bytes, 0));
  slab_in(sp.first)->bin = watched ? watched_bin : 0;
  if (!watched) return;
  for (std::size_t k = 0; k < witnesses && fills; ++k)
    spans::forget_contents(witness(sp.start, span_bytes, k), os::page_bytes());
  youngest.store(address(sp.start) | sp.slices, relaxed);
}

bool is_watched(const spans::record* first) {
  return slab_in(first)->bin == watched_bin;
}

void ignore_filling(spans::record* first) {
  if (!is_watched(first)) return;
  slab_in(first)->bin = 0;
  forget_youngest(slab_in(first)->start);
}

void note_filling(spans::record* first) {
  char* const start = slab_in(first)->start;
  forget_youngest(start);
  const bool was_seen = seen.load(relaxed) == address(start);
  if (was_seen) seen.store(0, relaxed);
  if (!is_filled(start, first->slices * slice_bytes)) {
    trust.store(0, relaxed);
  } else if (!was_seen) {
    note_filled();
  }
}

}  // namespace heapsmith
