// The cache of free memory: its cap, releases above the cap, and memory prefaulted for later.
#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "spans/purger.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

constexpr std::size_t least_range_slices = 1 * MiB / slice_bytes;
constexpr std::uint64_t refault_window_ms = 1000;
constexpr unsigned gives_for_each_look = 16;

std::size_t promised_bytes_locked() {
  return all.promised * slice_bytes;
}

std::size_t cap_locked() {
  if (settings().cache_is_fixed.load(relaxed))
    return std::max(settings().cache_bytes, promised_bytes_locked());
  if (settings().purge_delay_ms == 0) return promised_bytes_locked();
  return std::max(all.cap, all.in_use * slice_bytes / 8) + promised_bytes_locked();
}

/// Releases [first, first + n), all of it free and dirty.
void release_locked(range& r, std::size_t first, std::size_t n) {
  char* p = reinterpret_cast<char*>(r.base) + first * slice_bytes;
  if (!os::decommit(p, n * slice_bytes)) return;
  change_words_locked(r, first, n, [](free_word& w, std::uint64_t mask) {
    w.dirty &= ~mask;
    w.clean |= mask;
  });
  all.dirty -= n;
  all.numbers.purged_bytes += n * slice_bytes;
}

/// Releases the dirty runs of one range from its highest address down, until at most `keep` bytes
/// stay. False: the OS refuses (locked memory), so further calls are useless.
bool release_from_the_top_locked(range& r, std::size_t keep) {
  const auto dirty = [](const free_word& w) { return w.dirty; };
  for (std::size_t end = r.committed(); end != 0 && all.dirty * slice_bytes > keep;) {
    const std::size_t i = end - 1;
    const std::uint64_t word = r.words[i / 64].dirty << (63 - i % 64);
    if (word == 0) {
      end = i / 64 * 64;
      continue;
    }
    end -= static_cast<std::size_t>(std::countl_zero(word));
    std::size_t first = end - 1;  // the run may go on through earlier words
    while (first > 0 && slice_is(r, first - 1, dirty)) --first;
    const std::size_t excess = slices_for(all.dirty * slice_bytes - keep);
    first = std::max(first, end - std::min(end, excess));
    const std::size_t before = all.dirty;
    release_locked(r, first, end - first);
    if (all.dirty == before) return false;
    end = first;
  }
  return true;
}

/// Ends the mapping of slices from `end` on, all of them free. False: the OS refuses.
bool cut_tail_locked(range& r, std::size_t end) {
  const std::size_t n = r.committed() - end;
  if (!os::unmap(reinterpret_cast<char*>(r.base) + end * slice_bytes, n * slice_bytes))
    return false;
  change_words_locked(r, end, n, [](free_word& w, std::uint64_t mask) {
    const auto was_dirty = static_cast<std::size_t>(std::popcount(w.dirty & mask));
    all.dirty -= was_dirty;
    all.numbers.purged_bytes += was_dirty * slice_bytes;
    w.dirty &= ~mask;
    w.clean &= ~mask;
  });
  all.promised = std::min(all.promised, all.dirty);
  // relaxed: no block lies beyond, so no pointer is looked up there.
  r.slices.store(end, relaxed);
  return true;
}

/// Where address space is limited: ends the mapping of a range's free tail when it is most of the
/// range, so that others can map. Growth is by eighths, so growing again costs little. Memory that
/// was promised stays where it is.
void trim_tail_locked(range& r) {
  const std::size_t have = r.committed();
  if (all.in_use > have / 2 || all.promised != 0) return;
  complete_words_locked();
  const std::size_t end = std::max(free_tail_locked(r), least_range_slices);
  if (end < have && have - end > have / 2) cut_tail_locked(r, end);
}

void begin_purge_locked() {
  ++all.numbers.purges;
  all.last_purge_ms = os::now_ms();
  all.cap_was_raised = false;
  if (all.last_purge_ms - all.last_refault_ms > refault_window_ms)
    all.cap = std::max(least_cap, all.cap / 2);
}

/// From the highest address down: reuse takes the lowest first, so the highest are needed last.
void release_down_to_locked(std::size_t keep) {
  complete_words_locked();
  for (std::size_t k = range_count.load(relaxed); k-- > 0;)
    if (!release_from_the_top_locked(ranges[k], keep)) break;
  all.promised = std::min(all.promised, all.dirty);
}

}  // namespace

void purge_down_to_locked(std::size_t keep) {
  if (all.dirty * slice_bytes <= keep) return;
  begin_purge_locked();
  release_down_to_locked(keep);
}

void shed_excess_locked(range& r) {
  const std::size_t cap = cap_locked(), promised = promised_bytes_locked();
  // Down to three quarters, so that a program at its cap does not pay a system call each time.
  if (all.dirty * slice_bytes > cap) purge_down_to_locked(promised + (cap - promised) / 4 * 3);
  if (all.space_is_limited.load(relaxed)) trim_tail_locked(r);
  purge_idle_locked();
  if (all.dirty >= all.purger_sleeps_through) [[unlikely]]
    call_purger_locked();
}

void refault_locked(std::size_t n) {
  if (all.last_purge_ms == 0) return;
  all.numbers.refaults += n;
  all.last_refault_ms = os::now_ms();
  // One purge is one mistake: the takes that follow it are its consequences, not further ones.
  if (all.cap_was_raised || all.last_refault_ms - all.last_purge_ms > refault_window_ms) return;
  all.cap_was_raised = true;
  all.cap = std::min(all.cap * 2, std::max(least_cap, all.numbers.peak_bytes));
}

bool purge_unused_locked(std::uint64_t now, std::size_t most) {
  if (all.idle_since_ms != 0 && now - all.idle_since_ms < settings().purge_delay_ms) return true;
  const std::size_t idle = all.idle_since_ms == 0 ? 0 : std::min(all.idle, all.dirty);
  const std::size_t unused = idle - std::min(idle, all.promised);
  if (unused != 0) {
    if (!all.purge_goes_on) begin_purge_locked();
    release_down_to_locked((all.dirty - std::min(unused, most)) * slice_bytes);
  }
  all.purge_goes_on = unused > most;
  if (all.purge_goes_on) {
    all.idle -= most;
    return false;
  }
  all.idle = all.dirty;
  all.idle_since_ms = now;
  return true;
}

void purge_idle_locked() {
  if (all.gives_until_clock-- != 0) return;
  all.gives_until_clock = gives_for_each_look - 1;
  if (!settings().cache_is_fixed.load(relaxed)) purge_unused_locked(os::now_ms(), SIZE_MAX);
}

bool make_address_space() {
  const os::lock_guard guard(all.lock);
  complete_words_locked();
  bool made = false;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    const std::size_t end = std::max(free_tail_locked(ranges[k]), least_range_slices);
    if (end < ranges[k].committed()) made |= cut_tail_locked(ranges[k], end);
  }
  return made;
}

std::size_t purge() {
  const os::lock_guard guard(all.lock);
  const std::size_t before = all.dirty;
  purge_down_to_locked(0);
  all.cap = least_cap;
  return (before - all.dirty) * slice_bytes;
}

bool others_may_keep() {
  const span_settings& user = settings();
  return !user.cache_is_fixed.load(relaxed) && user.purge_delay_ms != 0 &&
         !all.space_is_limited.load(relaxed);
}

void set_cache_cap(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().cache_is_fixed.store(bytes != adaptive_cap, relaxed);
  settings().cache_bytes = bytes;
  if (bytes != adaptive_cap) purge_down_to_locked(bytes);
}

bool prefault(std::size_t bytes) {
  if (settings().cache_is_fixed.load(relaxed) && settings().cache_bytes < bytes)
    return false;  // it would be purged
  if (const std::size_t most = os::physical_bytes(); most != 0 && bytes > most) return false;
  // Taken and given back: dirty spans are what every engine takes first.
  record* held = nullptr;
  std::size_t left = slices_for(std::max<std::size_t>(bytes, 1));
  while (left != 0) {
    const std::size_t n = std::min(left, clean_map_slices);
    const span sp = take(n, 1, growth::allowed);
    if (!sp) break;
    os::populate(sp.start, n * slice_bytes);
    sp.first->account_next = held;  // held for no account, so the link is unused
    held = sp.first;
    left -= n;
  }
  const os::lock_guard guard(all.lock);
  while (held != nullptr) {
    record* const first = held;
    held = first->account_next;
    first->account_next = nullptr;
    give_locked(range_of(first), first, first->slices);
    if (left == 0) all.promised += first->slices;
  }
  if (left != 0) shed_excess_locked(ranges[0]);
  return left == 0;
}

}  // namespace heapsmith::spans
