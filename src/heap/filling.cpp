// Zeroed memory is mostly tables. A table that will be filled is best backed with memory at once: a
// page that is first read and then written faults twice, and the second fault interrupts all other
// cores. A table that stays sparse must not be. So the heap looks at what became of the last
// tables: when they are freed, and at the youngest one when the next is wanted.
// docs/decisions/0030-zeroed-blocks-by-evidence.md, 0039-evidence-before-the-free.md,
// 0066-filters-of-system-calls.md
#include "heap/filling.hpp"

#include <string.h>

#include <algorithm>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "heap/copying.hpp"
#include "os/os.hpp"
#include "slabs/slab.hpp"

namespace heapsmith {
namespace {

/// Shorter blocks are not watched: the system calls would cost more than their memory.
constexpr std::size_t least_watched = 1 * MiB;

/// OS pages of a watched block that read as zero at first. If none of them does in the end, the
/// program has filled the block.
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
/// its tables gives no other evidence. relaxed: only the OS reads what is looked at.
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
const char* witness(const char* start, std::size_t bytes, std::size_t k) {
  static constexpr std::uint16_t places[witnesses] = {633, 242, 874, 483};  // of 1024
  const std::size_t part = bytes / witnesses;
  return start + round_down(part * k + part / 1024 * places[k], os::page_bytes());
}

/// Whether the page of a witness reads as zero, as far as a few of its words tell. The OS looks at
/// them: the program may have protected the page, or unmapped it.
bool looks_zero(const char* page) {
  constexpr unsigned looks = 16;
  const std::size_t distance = os::page_bytes() / looks + sizeof(std::uint64_t);
  for (unsigned n = 1; n != looks; ++n, page += distance)
    if (os::reads_nonzero(reinterpret_cast<const std::uint32_t*>(page))) return false;
  return true;
}

[[gnu::noinline]] bool is_filled(const char* start, std::size_t bytes,
                                 bool (*is_zero)(const char*)) {
  for (std::size_t k = 0; k < witnesses; ++k)
    if (is_zero(witness(start, bytes, k))) return false;
  return true;
}

/// Looks at the youngest watched block, before the next one. If it is not filled it may yet be:
/// that is a doubt, not evidence. Another thread may free the block meanwhile, so that these pages
/// are another block's or nobody's: the OS only looks, and at worst the guess is wrong.
void look_at_youngest() {
  const std::uintptr_t word = youngest.exchange(0, relaxed);
  if (word == 0) return;
  const std::size_t slices = word % slice_bytes;
  const std::uintptr_t at = word - slices;
  if (!is_filled(reinterpret_cast<const char*>(at), slices * slice_bytes, looks_zero))
    return note_doubt();
  seen.store(at, relaxed);
  note_filled();
}

/// The block ends: nobody shall look at it.
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
  if (!is_long) return;
  slab_in(sp.first)->bin = watched_bin;
  youngest.store(address(sp.start) | sp.slices, relaxed);
}

bool is_watched(const spans::record* first) {
  return slab_in(first)->bin == watched_bin;
}

void note_filling(spans::record* first) {
  char* const start = slab_in(first)->start;
  forget_youngest(start);
  const bool was_seen = seen.load(relaxed) == address(start);
  if (was_seen) seen.store(0, relaxed);
  if (!is_filled(start, first->slices * slice_bytes, is_zero_page)) {
    trust.store(0, relaxed);
  } else if (!was_seen) {
    note_filled();
  }
}

}  // namespace heapsmith
