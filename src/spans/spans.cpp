// Taking and giving spans: first fit on two bits a slice, and the cap on what stays cached.
#include "spans/spans.hpp"

#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"

namespace heapsmith::spans {
namespace {

constexpr std::size_t least_cap = 4 * MiB;
constexpr std::size_t least_range_slices = 1 * MiB / slice_bytes;
constexpr std::uint64_t refault_window_ms = 1000;

struct state {
  os::lock lock{os::lock_rank::spans};
  std::size_t in_use = 0;       // slices
  std::size_t dirty = 0;        // slices, free
  std::size_t outside = 0;      // bytes charged by direct maps
  std::size_t metadata = 0;     // bytes
  std::size_t cap = least_cap;  // adaptive, see refault_locked()
  std::uint64_t last_purge_ms = 0, last_refault_ms = 0;
  bool space_is_limited = false;  // as of the last growth
  char* metadata_at = nullptr;
  std::size_t metadata_left = 0;
  counts told = {};
};
constinit state all;

std::size_t records_bytes_locked() {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k)
    bytes += ranges[k].committed() * sizeof(slab);
  return bytes;
}

std::size_t held_bytes_locked() {
  return (all.in_use + all.dirty) * slice_bytes + all.outside + all.metadata;
}

void note_peak_locked() {
  all.told.peak_bytes = std::max(all.told.peak_bytes, held_bytes_locked());
}

std::size_t cap_locked() {
  if (settings().cache_is_fixed) return settings().cache_bytes;
  return std::max(all.cap, all.in_use * slice_bytes / 8);
}

std::uint64_t any_free(const free_word& w) {
  return w.dirty | w.clean;
}

/// Marks a run taken; tells which of its slices were clean.
void claim_locked(range& r, std::size_t first, std::size_t n, span* out) {
  std::size_t at = 0;
  for_each_word(first, n, [&](std::size_t k, std::uint64_t mask) {
    free_word& w = r.words[k];
    const auto was_dirty = static_cast<std::size_t>(std::popcount(w.dirty & mask));
    all.dirty -= was_dirty;
    if (out != nullptr && (w.clean & mask) != 0) {
      for (std::uint64_t m = mask; m != 0; m &= m - 1, ++at)
        if ((w.clean & m & -m) != 0 && at < clean_map_slices)
          out->clean[at / 64] |= std::uint64_t{1} << (at % 64);
    } else {
      at += static_cast<std::size_t>(std::popcount(mask));
    }
    w.dirty &= ~mask;
    w.clean &= ~mask;
  });
  all.in_use += n;
  if (first == r.lowest_free) r.lowest_free = first + n;
  note_peak_locked();
}

std::size_t find_free_locked(const range& r, std::size_t n, std::size_t align, bool dirty_only) {
  const std::size_t bias = (r.base >> slice_shift) & (align - 1);
  return find_run(r.lowest_free, r.committed(), n, align, bias, [&](std::size_t k) {
    return dirty_only ? r.words[k].dirty : any_free(r.words[k]);
  });
}

/// Releases [first, first + n), all of it free and dirty.
void release_locked(range& r, std::size_t first, std::size_t n) {
  char* p = reinterpret_cast<char*>(r.base) + first * slice_bytes;
  if (!os::decommit(p, n * slice_bytes)) return;
  for_each_word(first, n, [&](std::size_t k, std::uint64_t mask) {
    r.words[k].dirty &= ~mask;
    r.words[k].clean |= mask;
  });
  all.dirty -= n;
  all.told.purged_bytes += n * slice_bytes;
}

/// Where address space is limited: ends the mapping of a range's free tail when it is most of the
/// range, so that others can map. Growth is by eighths, so growing again costs little.
void trim_tail_locked(range& r) {
  const std::size_t have = r.committed();
  if (all.in_use > have / 2) return;
  std::size_t end = have;
  while (end != 0 && ((any_free(r.words[(end - 1) / 64]) >> ((end - 1) % 64)) & 1) != 0) --end;
  end = std::max(end, least_range_slices);
  if (end >= have || have - end <= have / 2) return;
  os::unmap(reinterpret_cast<char*>(r.base) + end * slice_bytes, (have - end) * slice_bytes);
  for_each_word(end, have - end, [&](std::size_t k, std::uint64_t mask) {
    const auto was_dirty = static_cast<std::size_t>(std::popcount(r.words[k].dirty & mask));
    all.dirty -= was_dirty;
    all.told.purged_bytes += was_dirty * slice_bytes;
    r.words[k].dirty &= ~mask;
    r.words[k].clean &= ~mask;
  });
  // relaxed: no block lies beyond, so no pointer is looked up there.
  r.slices.store(end, relaxed);
}

/// Releases dirty runs from the highest address down until at most `keep` bytes stay cached: reuse
/// takes the lowest address first, so the highest are needed last.
void purge_down_to_locked(std::size_t keep) {
  if (all.dirty * slice_bytes <= keep) return;
  ++all.told.purges;
  all.last_purge_ms = os::now_ms();
  if (all.last_purge_ms - all.last_refault_ms > refault_window_ms)
    all.cap = std::max(least_cap, all.cap / 2);
  for (std::size_t k = range_count.load(relaxed); k-- > 0;) {
    range& r = ranges[k];
    std::size_t end = r.committed();
    while (end != 0 && all.dirty * slice_bytes > keep) {
      const std::size_t i = end - 1;
      const std::uint64_t word = r.words[i / 64].dirty << (63 - i % 64);
      if (word == 0) {
        end = i / 64 * 64;
        continue;
      }
      end -= static_cast<std::size_t>(std::countl_zero(word));
      std::size_t first = end - 1;  // the run may go on through earlier words
      while (first > 0 && ((r.words[(first - 1) / 64].dirty >> ((first - 1) % 64)) & 1) != 0)
        --first;
      const std::size_t excess = slices_for(all.dirty * slice_bytes - keep);
      first = std::max(first, end - std::min(end, excess));
      const std::size_t before = all.dirty;
      release_locked(r, first, end - first);
      if (all.dirty == before) return;  // the OS refuses (locked memory): stop asking
      end = first;
    }
  }
}

/// Memory that was just given back is needed again: the cap was too low for this program.
void refault_locked(std::size_t n) {
  if (all.last_purge_ms == 0) return;
  all.told.refaults += n;
  all.last_refault_ms = os::now_ms();
  if (all.last_refault_ms - all.last_purge_ms <= refault_window_ms)
    all.cap = std::min(all.cap * 2, std::max(least_cap, all.told.peak_bytes));
}

/// Makes room under the process limit for `bytes` more, by purging if need be.
bool fits_limit_locked(std::size_t bytes) {
  const std::size_t limit = settings().limit_bytes;
  if (limit == 0) return true;
  bytes += records_bytes_locked();
  if (held_bytes_locked() + bytes <= limit) return true;
  purge_down_to_locked(0);
  return held_bytes_locked() + bytes <= limit;
}

bool grow_locked(std::size_t n, std::size_t align) {
  const std::size_t want = n + align - 1;
  const std::size_t have = range_count.load(relaxed);
  bool grown = false;
  for (std::size_t k = 0; k < have && !grown; ++k) grown = grow_range_locked(ranges[k], want);
  // A further range only where the last one is in use: a refusal for lack of memory adds none.
  if (!grown &&
      (have == 0 || ranges[have - 1].committed() != 0 || ranges[have - 1].capacity < want)) {
    range* r = add_range_locked(want);
    grown = r != nullptr && grow_range_locked(*r, want);
  }
  all.told.growths += grown;
  all.space_is_limited = os::address_space_is_limited();
  return grown;
}

/// Claims a run found in some range; `clean_ok`: memory not yet behind it counts as found.
bool take_found_locked(std::size_t n, std::size_t align, bool dirty_only, span& out) {
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    range& r = ranges[k];
    const std::size_t first = find_free_locked(r, n, align, dirty_only);
    if (first == no_run) continue;
    const std::size_t dirty_before = all.dirty;
    out.first = r.records + first;
    out.start = r.address_of(out.first);
    out.slices = n;
    claim_locked(r, first, n, &out);
    if (dirty_before - all.dirty < n) refault_locked(n - (dirty_before - all.dirty));
    return true;
  }
  return false;
}

}  // namespace

os::lock& the_lock() {
  return all.lock;
}

span take(std::size_t slices, std::size_t align_slices, growth may_grow) {
  span out;
  const os::lock_guard guard(all.lock);
  ++all.told.takes;
  if (all.dirty >= slices && take_found_locked(slices, align_slices, true, out)) return out;
  if (!fits_limit_locked(slices * slice_bytes)) return out;
  if (take_found_locked(slices, align_slices, false, out)) return out;
  if (may_grow == growth::allowed && grow_locked(slices, align_slices))
    take_found_locked(slices, align_slices, false, out);
  return out;
}

void give(slab* first, std::size_t slices) {
  const os::lock_guard guard(all.lock);
  range& r = range_of(first);
  const auto at = static_cast<std::size_t>(first - r.records);
  for_each_word(at, slices, [&](std::size_t k, std::uint64_t mask) { r.words[k].dirty |= mask; });
  r.lowest_free = std::min(r.lowest_free, at);
  all.in_use -= slices;
  all.dirty += slices;
  ++all.told.gives;
  // Down to three quarters, so that a program at its cap does not pay a system call each time.
  const std::size_t cap = cap_locked();
  if (all.dirty * slice_bytes > cap) purge_down_to_locked(cap / 4 * 3);
  if (all.space_is_limited) trim_tail_locked(r);
}

bool extend(slab* first, std::size_t slices, std::size_t more) {
  const os::lock_guard guard(all.lock);
  range& r = range_of(first);
  const auto end = static_cast<std::size_t>(first - r.records) + slices;
  if (!fits_limit_locked(more * slice_bytes)) return false;
  if (end + more > r.committed()) {  // at the frontier: it can move
    for (std::size_t i = end; i < r.committed(); ++i)
      if (((any_free(r.words[i / 64]) >> (i % 64)) & 1) == 0) return false;
    if (!grow_range_locked(r, end + more - r.committed())) return false;
    ++all.told.growths;
  }
  bool all_free = true;
  for_each_word(end, more, [&](std::size_t k, std::uint64_t mask) {
    all_free = all_free && (any_free(r.words[k]) & mask) == mask;
  });
  if (all_free) claim_locked(r, end, more, nullptr);
  return all_free;
}

std::size_t purge() {
  const os::lock_guard guard(all.lock);
  const std::size_t before = all.dirty;
  purge_down_to_locked(0);
  all.cap = least_cap;
  return (before - all.dirty) * slice_bytes;
}

bool charge(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  if (!fits_limit_locked(bytes)) return false;
  all.outside += bytes;
  return true;
}

void settle_charge() {
  const os::lock_guard guard(all.lock);
  note_peak_locked();
}

void discharge(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  all.outside -= bytes;
}

bool prefault(std::size_t bytes) {
  if (settings().cache_is_fixed && settings().cache_bytes < bytes)
    return false;  // it would be purged
  if (const std::size_t most = os::physical_bytes(); most != 0 && bytes > most) return false;
  // Taken and given back: dirty spans are what every engine takes first.
  slab* held = nullptr;
  bool done = true;
  for (std::size_t left = slices_for(std::max<std::size_t>(bytes, 1)); left != 0 && done;) {
    const std::size_t n = std::min(left, clean_map_slices);
    const span sp = take(n, 1, growth::allowed);
    done = static_cast<bool>(sp);
    if (!done) break;
    os::populate(sp.start, n * slice_bytes);
    sp.first->slices = static_cast<std::uint32_t>(n);
    sp.first->next = held;
    held = sp.first;
    left -= n;
  }
  {
    const os::lock_guard guard(all.lock);
    if (done)
      all.cap = std::max(all.cap, all.dirty * slice_bytes + bytes);  // or giving would purge it
  }
  for (slab* next; held != nullptr; held = next) {
    next = held->next;
    give(held, held->slices);
  }
  return done;
}

void set_limit(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().limit_bytes = bytes;
}

void set_cache_cap(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().cache_is_fixed = bytes != adaptive_cap;
  settings().cache_bytes = bytes;
  if (bytes != adaptive_cap) purge_down_to_locked(bytes);
}

void* take_metadata(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  bytes = round_up(bytes, 64);
  if (bytes > all.metadata_left) {
    const std::size_t piece = round_up(std::max(bytes, slice_bytes), os::page_bytes());
    char* p = static_cast<char*>(os::map(piece, os::page_bytes()));
    if (p == nullptr) return nullptr;
    all.metadata_at = p;
    all.metadata_left = piece;
  }
  char* p = all.metadata_at;
  all.metadata_at += bytes;
  all.metadata_left -= bytes;
  all.metadata += bytes;
  return p;
}

counts count() {
  const os::lock_guard guard(all.lock);
  counts c = all.told;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    c.committed_bytes += ranges[k].committed() * slice_bytes;
  }
  c.in_use_bytes = all.in_use * slice_bytes;
  c.cached_bytes = all.dirty * slice_bytes;
  c.outside_bytes = all.outside;
  c.metadata_bytes = all.metadata + records_bytes_locked();
  return c;
}

}  // namespace heapsmith::spans
