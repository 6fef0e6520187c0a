// Zeroed memory is mostly tables. A table that will be filled is best backed with memory at once: a
// page that is first read and then written faults twice, and the second fault interrupts all other
// cores. A table that stays sparse must not be. So the heap looks at what became of the last
// tables: when they are freed, and at some that are held when the next is wanted. For what was
// filled it may assume a twentieth, and some at first: that much memory goes to sparse tables.
// docs/decisions/0030-zeroed-blocks-by-evidence.md, 0066-filters-of-system-calls.md
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

/// Shorter blocks are not watched: the system calls would cost more than their memory. In slices.
constexpr std::size_t least_watched = 1 * MiB / slice_bytes;

/// OS pages of a watched block that are looked at. If none of them reads as zero, the program has
/// filled the block.
constexpr std::size_t witnesses = 4;

/// After the first ones, one of so many bytes that were found filled is assumed.
constexpr std::size_t filled_for_each_assumed = 20;

std::ptrdiff_t price_of(std::size_t slices) {
  return static_cast<std::ptrdiff_t>(slices * slice_bytes * filled_for_each_assumed);
}

/// No more is earned while the longest zeroed block can be paid: a program that has filled tables
/// for days shall not lose more to sparse ones than one that has for a minute.
constexpr auto enough = static_cast<std::ptrdiff_t>(direct_map_min * filled_for_each_assumed);

/// As much is assumed as was found filled, of the first bytes: a program that fills its tables
/// shall not wait until it filled twenty times what it holds. Sparse tables may get so much, once.
constexpr std::ptrdiff_t assumed_at_first = 32 * MiB * filled_for_each_assumed;

/// The bytes that were found filled, or their price at first, less the price of those that were
/// assumed and not found filled since. relaxed: a count, below zero while a thread puts some back.
constinit atomic<std::ptrdiff_t> budget{0};

bool may_assume(std::size_t slices) {
  const std::ptrdiff_t price = price_of(slices);
  if (budget.load(relaxed) < price) return false;
  if (budget.fetch_sub(price, relaxed) >= price) return true;
  budget.fetch_add(price, relaxed);
  return false;
}

/// A watched block in one word: its address, and in the bits that are zero there its slices, and
/// whether it was assumed to be filled.
using watched = std::uintptr_t;
constexpr watched was_assumed = slice_bytes / 2;
static_assert(direct_map_min / slice_bytes < was_assumed);

/// The watched blocks that were not found filled yet, each at the place that its address gives. A
/// block whose place is taken is not watched. The thread that takes a word out counts it.
/// relaxed, as `budget`: a block's end reads what its own thread may read, and else the OS reads.
constexpr unsigned places_bits = 6;
constexpr std::size_t places = std::size_t{1} << places_bits;
constinit atomic<watched> watched_at[places] = {};

atomic<watched>& place_of(std::uintptr_t address) {
  // Mixed: tables often have one size, a power of two.
  return watched_at[(address >> slice_shift) * 0x9e3779b97f4a7c15u >> (64 - places_bits)];
}

bool take_out(watched w) {
  return place_of(w).compare_exchange_strong(w, 0, relaxed);
}

void note_filled(watched w, std::size_t slices) {
  static constinit atomic<std::ptrdiff_t> left_at_first{assumed_at_first};  // relaxed, as budget
  const std::ptrdiff_t price = price_of(slices);
  std::ptrdiff_t earned = (w & was_assumed) != 0 ? price : 0;
  if (left_at_first.load(relaxed) > 0) {
    earned += std::clamp<std::ptrdiff_t>(left_at_first.fetch_sub(price, relaxed), 0, price);
  } else if (budget.load(relaxed) + earned < enough) {
    earned += static_cast<std::ptrdiff_t>(slices * slice_bytes);
  }
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

/// Whether `slices` slices are filled, as far as the witnesses tell: one in each part. A table that
/// is used at regular distances touches the middle of each part, or no middle, so the witnesses lie
/// at irregular places.
[[gnu::noinline]] bool is_filled(std::uintptr_t address, std::size_t slices,
                                 bool (*is_zero)(const char*)) {
  static constexpr std::uint16_t at[witnesses] = {633, 242, 874, 483};  // of 1024
  const std::size_t part = slices * slice_bytes / witnesses;
  for (std::size_t k = 0; k < witnesses; ++k) {
    const std::size_t offset = round_down(part * k + part / 1024 * at[k], os::page_bytes());
    if (is_zero(reinterpret_cast<const char*>(address + offset))) return false;
  }
  return true;
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
    const watched w = watched_at[i % places].load(relaxed);
    if (w == 0) continue;
    ++looks;
    if (is_filled(round_down(w, slice_bytes), w % was_assumed, looks_zero) && take_out(w))
      note_filled(w, w % was_assumed);
  }
  next.store(i, relaxed);
}

}  // namespace

void zero_large(const spans::span& sp, std::size_t bytes, bool will_end) {
  const bool is_long = sp.slices >= least_watched;
  const auto address = reinterpret_cast<std::uintptr_t>(sp.start);
  atomic<watched>& place = place_of(address);
  if (is_long && will_end) look_around();
  const bool is_watched = is_long && will_end && place.load(relaxed) == 0;
  const bool assumed = is_watched && may_assume(sp.slices);
  // With one call for each stretch of slices that were used before, or were not.
  for (std::size_t i = 0; i < sp.slices;) {
    const std::size_t first = i;
    const bool clean = sp.slice_is_clean(first);
    while (i < sp.slices && sp.slice_is_clean(i) == clean) ++i;
    char* const start = sp.start + first * slice_bytes;
    const std::size_t length = std::min(i * slice_bytes, bytes) - first * slice_bytes;
    if (clean) {
      if (assumed) os::populate(start, length);
    } else if (assumed || !is_long) {
      memset(start, 0, length);
    } else {
      spans::forget_contents(start, length);
    }
  }
  const watched w = address | sp.slices | (assumed ? was_assumed : 0);
  if (watched none = 0; is_watched && !place.compare_exchange_strong(none, w, relaxed) && assumed)
    budget.fetch_add(price_of(sp.slices), relaxed);  // another thread's came first
}

void note_end(const spans::record* first) {
  const auto address = reinterpret_cast<std::uintptr_t>(slab_in(first)->start);
  const watched w = place_of(address).load(relaxed);
  if (round_down(w, slice_bytes) != address || !take_out(w)) return;
  // It may have shrunk or grown.
  const std::size_t slices = std::min<std::size_t>(w % was_assumed, first->slices);
  if (is_filled(address, slices, is_zero_page)) note_filled(w, slices);
}

}  // namespace heapsmith
