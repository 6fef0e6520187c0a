// Zeroed memory is mostly tables. A table that will be filled is best backed with memory at once: a
// page that is first read and then written faults twice, and the second fault interrupts all other
// cores. A table that stays sparse must not be. So the heap looks at what became of the last
// tables: when they are freed, and at some that are held when the next is wanted. For what was
// filled it may assume a twentieth, and for what was filled in part, clear used memory of a few:
// sparse tables get no more. docs/design/large-and-zeroed.md
#include "heap/filling.hpp"

#include <string.h>

#include <algorithm>
#include <bit>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "heap/copying.hpp"
#include "os/os.hpp"
#include "slabs/slab.hpp"

namespace heapsmith {
namespace {

/// Shorter blocks are not watched: the system calls would cost more than their memory. In slices.
constexpr std::size_t least_watched = 1 * MiB / slice_bytes;

/// OS pages of a watched block that are looked at. If none of them reads as zero, the program has
/// filled the block; if some do not, a part of it.
constexpr unsigned witnesses = 4;

/// One of so many bytes that were found filled is assumed.
constexpr std::size_t filled_for_each_assumed = 20;

std::ptrdiff_t price_of(std::size_t slices) {
  return static_cast<std::ptrdiff_t>(slices * slice_bytes * filled_for_each_assumed);
}

/// No more is earned while the longest zeroed block can be paid: a program that has filled tables
/// for days shall not lose more to sparse ones than one that has for a minute.
constexpr auto enough = static_cast<std::ptrdiff_t>(direct_map_min * filled_for_each_assumed);

/// The bytes that were found filled, less the price of those that were assumed and not found filled
/// since. relaxed: a count, below zero while a thread puts some back.
constinit atomic<std::ptrdiff_t> budget{0};

/// Takes `n` from a count, if that has so much.
[[gnu::noinline]] bool take_from(atomic<std::ptrdiff_t>& count, std::ptrdiff_t n) {
  if (count.load(relaxed) < n) return false;
  if (count.fetch_sub(n, relaxed) >= n) return true;
  count.fetch_add(n, relaxed);
  return false;
}

/// Used memory may be cleared for so many bytes of other blocks: as blocks had that were filled, or
/// in part, less those for which it was in vain. With those lent and grantable, always 32 MiB.
/// relaxed, as `budget`.
constinit atomic<std::ptrdiff_t> lendable{0}, grantable{32 * MiB};

/// A watched block in one word: its address, and in the bits that are zero there its slices, and
/// whether it was assumed to be filled, or cleared on loan.
using watched = std::uintptr_t;
constexpr watched was_assumed = slice_bytes / 2, was_lent = was_assumed / 2;
static_assert(direct_map_min / slice_bytes < was_lent);

std::ptrdiff_t bytes_of(watched w) {
  return static_cast<std::ptrdiff_t>(w % was_lent * slice_bytes);
}

/// The watched blocks not found filled yet, or being zeroed, each at the place that its address
/// gives. A block whose place is taken is not watched. The thread that takes a word out counts it.
/// relaxed, as `budget`: a block's end reads what its own thread may read, and else the OS reads.
constexpr std::size_t places = 64;
constinit atomic<watched> watched_at[places] = {};

atomic<watched>& place_of(std::uintptr_t address) {
  // Mixed: tables often have one size, a power of two.
  return watched_at[(address >> slice_shift) * 0x9e3779b97f4a7c15u >>
                    (64 - std::countr_zero(places))];
}

/// A watched block has `slices` now, and so many witnesses of it were filled. The part of a loan
/// that it gave up was lent in vain, or all of it.
void note_outcome(watched w, std::size_t slices, unsigned filled) {
  const auto bytes = static_cast<std::ptrdiff_t>(filled != 0 ? slices * slice_bytes : 0);
  const std::ptrdiff_t lent = (w & was_lent) != 0 ? bytes_of(w) : 0, back = std::min(lent, bytes);
  std::ptrdiff_t left = grantable.fetch_add(lent - back, relaxed) + lent - back, more;
  do more = std::min(bytes, left);
  while (!grantable.compare_exchange_weak(left, left - more, relaxed));
  lendable.fetch_add(back + more, relaxed);
  if (filled != witnesses) return;
  std::ptrdiff_t earned = (w & was_assumed) != 0 ? price_of(slices) : 0;
  if (budget.load(relaxed) + earned < enough) earned += bytes;
  budget.fetch_add(earned, relaxed);
}

/// Whether an OS page reads as zero, as far as a few of its words tell. The OS looks at them: the
/// program may have protected the page, or unmapped it.
bool looks_zero(const char* page) {
  constexpr unsigned looks = 16;
  const std::size_t distance = os::page_bytes() / looks + sizeof(std::uint64_t);
  for (unsigned n = 1; n != looks; ++n, page += distance)
    if (os::reads_nonzero(reinterpret_cast<const std::uint32_t*>(page))) return false;
  return true;
}

/// How many witnesses of `slices` slices do not read as zero: one lies in each part. A table that
/// is used at regular distances touches the middle of each part, or no middle, so the witnesses lie
/// at irregular places. If the block is held, some are as good as none.
[[gnu::noinline]] unsigned filled_witnesses(std::uintptr_t address, std::size_t slices,
                                            bool is_held) {
  static constexpr std::uint16_t at[witnesses] = {633, 242, 874, 483};  // of 1024
  const std::size_t part = slices * slice_bytes / witnesses;
  unsigned n = 0;
  for (unsigned k = 0; k < witnesses && (n == k || !is_held); ++k) {
    const auto* const page = reinterpret_cast<const char*>(
        address + round_down(part * k + part / 1024 * at[k], os::page_bytes()));
    n += is_held ? !looks_zero(page) : !is_zero_page(page);
  }
  return n;
}

/// Looks at some watched blocks before the next one, in turn: a program that never frees its tables
/// gives no other evidence. One that is not filled may be later.
/// Another thread may free a block meanwhile, so that these pages are another block's or nobody's:
/// the OS only looks. If just such a block is watched there again, it counts too early.
void look_around() {
  constexpr unsigned most_looks = 4;
  static constinit atomic<std::size_t> next{0};  // relaxed: any place will do
  std::size_t i = next.load(relaxed);
  for (unsigned n = 0, looks = 0; n != places && looks != most_looks; ++n, ++i) {
    atomic<watched>& place = watched_at[i % places];
    watched w = place.load(relaxed);
    const std::size_t slices = w % was_lent;
    if (slices == 0) continue;
    ++looks;
    if (filled_witnesses(round_down(w, slice_bytes), slices, true) == witnesses &&
        place.compare_exchange_strong(w, 0, relaxed))
      note_outcome(w, slices, witnesses);
  }
  next.store(i, relaxed);
}

}  // namespace

void zero_large(const spans::span& sp, std::size_t bytes, bool will_end) {
  const auto address = reinterpret_cast<std::uintptr_t>(sp.start);
  atomic<watched>& place = place_of(address);
  watched none = 0, w = address | sp.slices;
  bool clears = sp.slices < least_watched, is_watched = will_end && !clears, assumed = false;
  if (is_watched) {
    look_around();
    // Until it is zeroed, the word has no slices, and nobody looks.
    is_watched = place.compare_exchange_strong(none, address, relaxed);
    assumed = is_watched && take_from(budget, price_of(sp.slices));
    if (assumed) w |= was_assumed;
    clears = assumed;
  }
  // With one call for each stretch of slices that were used before, or were not.
  for (std::size_t i = 0; i < sp.slices;) {
    const std::size_t first = i;
    const bool clean = sp.slice_is_clean(first);
    while (i < sp.slices && sp.slice_is_clean(i) == clean) ++i;
    char* const start = sp.start + first * slice_bytes;
    const std::size_t length = std::min(i * slice_bytes, bytes) - first * slice_bytes;
    if (clean) {
      if (assumed) os::populate(start, length);
      continue;
    }
    if (!clears && is_watched && take_from(lendable, bytes_of(w))) {
      clears = true;
      w |= was_lent;
    }
    if (clears)
      memset(start, 0, length);
    else
      spans::forget_contents(start, length);
  }
  if (is_watched) place.store(w, relaxed);
}

void note_end(const spans::record* first) {
  const auto address = reinterpret_cast<std::uintptr_t>(slab_in(first)->start);
  atomic<watched>& place = place_of(address);
  watched w = place.load(relaxed);
  if (round_down(w, slice_bytes) != address || !place.compare_exchange_strong(w, 0, relaxed))
    return;
  // It may have shrunk or grown.
  const std::size_t slices = std::min<std::size_t>(w % was_lent, first->slices);
  note_outcome(w, slices, filled_witnesses(address, slices, false));
}

}  // namespace heapsmith
