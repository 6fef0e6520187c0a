// The cache of free memory: its cap, releases above the cap, and memory prefaulted for later.
#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "os/settings.hpp"
#include "spans/purger.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

static_assert(never_purge == os::never);  // settings() takes the one for the other

constexpr std::size_t least_range_slices = 1 * MiB / slice_bytes;
constexpr std::uint64_t refault_window_ms = 1000;
constexpr unsigned gives_for_each_clock = 16;

/// So much is released at a time if spans are short: 45 µs for one run, 60 µs for single slices.
constexpr std::size_t slices_at_once = 768 * KiB / slice_bytes;
/// No free releases more than this, about 1 ms, or three times what it gives back: the cache grows
/// by that, and what is usual falls by twice as much.
constexpr std::size_t most_slices_a_free = 16 * MiB / slice_bytes;
/// No free looks at more runs of dirty slices, or words without any.
constexpr std::size_t most_steps_a_free = 64;
/// While a program works, its use goes up and down. So many times what is in use may be free.
constexpr std::size_t usual_ratio = 2;
/// At this rate memory goes back that nobody needs, while spans come back: 1.6 % of the time.
constexpr std::size_t slices_for_each_ms = 4;

std::size_t promised_bytes_locked() {
  return all.promised * slice_bytes;
}

/// The user says how much may stay. Then nothing above it stays, be it in short runs.
bool cap_is_strict(const span_settings& user) {
  return user.cache_is_fixed.load(relaxed) || user.purge_delay_ms.load(relaxed) == 0;
}

std::size_t strict_cap_locked(const span_settings& user) {
  const bool fixed = user.cache_is_fixed.load(relaxed);
  return std::max(fixed ? user.cache_bytes : 0, promised_bytes_locked());
}

/// How many free slices should stay. The cap that the program taught does not hold when use falls
/// below half of the valley: so deep a fall has never been a mistake. If it is one, the valley
/// halves at least, so the number of such mistakes is the logarithm of the use.
std::size_t adaptive_cap_locked() {
  const bool falls_deep = all.in_use < (all.valley + 1) / 2;
  const std::size_t taught = falls_deep ? least_cap : all.cap;
  return std::max(taught / slice_bytes, all.in_use / 8) + all.promised;
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
  all.purged_before = all.numbers.purged_bytes;
  all.last_purge_ms = os::now_ms();
  all.cap_was_raised = false;
  all.least_use = all.in_use;
  if (all.last_purge_ms - all.last_refault_ms > refault_window_ms)
    all.cap = std::max(least_cap, all.cap / 2);
  start_walk_locked();
}

/// Long runs go first. The more there is too much, the shorter runs go, too.
std::size_t least_run(std::size_t excess, std::size_t usual) {
  return std::size_t{4} >> std::min<std::size_t>(2, 2 * excess / usual);
}

/// Releases some of what exceeds the adaptive cap, after `given` slices came back, at least one.
/// Complexity: bounded by a constant, or linear in `given`.
void shed_some_locked(std::size_t given) {
  shedding& s = all.shed;
  all.least_use = std::min(all.least_use, all.in_use);
  // Use does not collapse while spans are taken.
  if (s.takes != all.numbers.takes) s.goes_on = false;
  s.takes = all.numbers.takes;
  const std::size_t cap = adaptive_cap_locked();
  const std::size_t usual = std::max(cap, all.promised + usual_ratio * all.in_use);
  if (all.dirty <= cap) s.goes_on = false;
  const std::size_t keep = s.goes_on ? cap : usual;
  if (all.dirty < keep + slices_at_once) return;
  if (!s.goes_on) {
    begin_purge_locked();
    s = {.goes_on = true, .takes = s.takes};
  }
  const std::size_t before = all.dirty, excess = before - cap, run = least_run(excess, usual);
  if (run >= s.missing_run && before < s.missing_until) return;
  // The spans in use are to release the excess, and themselves, by the time all of them came back.
  const std::size_t share = given * (excess + all.in_use) / (given + all.in_use);
  const std::size_t most = std::max(most_slices_a_free, (1 + usual_ratio) * given);
  const std::size_t aim = before - std::min({before - keep, std::max(share, slices_at_once), most});
  // What came back since the walk passed it is found by the next one.
  for (int walks = 0; walks != 2 && all.dirty > aim; ++walks) {
    const std::size_t had = all.dirty;
    walk_locked(had - aim, run, most_steps_a_free);
    if (had != all.dirty) {
      s.missing_run = SIZE_MAX;
      s.walk_is_vain = false;
    }
    if (!all.walk.is_over()) return;
    if (s.walk_is_vain) {
      s.missing_run = run;
      s.missing_until = all.dirty + slices_at_once;
      return;
    }
    s.walk_is_vain = true;
  }
}

/// No more is cached than is usual, nothing limits that, and the clock is not due: as after most
/// frees.
bool is_calm_locked() {
  if (!others_may_keep.load(relaxed) || all.dirty >= all.purger_sleeps_through ||
      all.purge_goes_on || all.gives_until_clock == 0)
    return false;
  if (all.dirty > least_cap / slice_bytes &&
      (all.shed.goes_on || all.dirty > usual_ratio * all.in_use))
    return false;
  all.shed.goes_on = false;
  --all.gives_until_clock;
  return true;
}

}  // namespace

constinit atomic<bool> others_may_keep{false};

void purge_down_to_locked(std::size_t keep) {
  if (all.dirty * slice_bytes <= keep) return;
  begin_purge_locked();
  walk_locked(slices_for(all.dirty * slice_bytes - keep), 1, SIZE_MAX);
}

void shed_excess_locked(range& r, std::size_t given) {
  if (is_calm_locked()) return;
  const span_settings& user = settings();
  if (!cap_is_strict(user)) {
    // The cap is never lower.
    if (all.dirty > least_cap / slice_bytes)
      shed_some_locked(given);
    else
      all.shed.goes_on = false;
  } else if (const std::size_t cap = strict_cap_locked(user); all.dirty * slice_bytes > cap) {
    // A little more, so that a program at its cap does not pay a system call each time.
    const std::size_t more = (cap - promised_bytes_locked()) / 4;
    purge_down_to_locked(cap - std::min(more, slices_at_once * slice_bytes));
  }
  if (all.space_is_limited) trim_tail_locked(r);
  purge_idle_locked();
  if (all.dirty >= all.purger_sleeps_through) [[unlikely]]
    call_purger_locked();
}

void refault_locked(std::size_t n) {
  if (all.last_purge_ms == 0) return;
  all.numbers.refaults += n;
  all.last_refault_ms = os::now_ms();
  all.shed.goes_on = false;
  // One purge is one mistake: the takes that follow it are its consequences, not further ones.
  if (all.cap_was_raised || all.last_refault_ms - all.last_purge_ms > refault_window_ms) return;
  all.cap_was_raised = true;
  all.valley = all.cap == least_cap ? all.least_use : std::min(all.valley, all.least_use);
  const std::size_t missed = std::min(all.cap, all.numbers.purged_bytes - all.purged_before);
  all.cap = std::min(all.cap + missed, std::max(least_cap, all.numbers.peak_bytes));
}

bool purge_unused_locked(std::uint64_t now, std::size_t most) {
  if (!all.purge_goes_on) {
    if (all.idle_since_ms != 0 && now - all.idle_since_ms < settings().purge_delay_ms.load(relaxed))
      return true;
    if (all.idle_since_ms == 0) all.idle = 0;
  }
  all.idle = std::min(all.idle, all.dirty);
  const std::size_t unused = all.idle - std::min(all.idle, all.promised);
  if (unused != 0) {
    if (!all.purge_goes_on) begin_purge_locked();
    const std::size_t before = all.dirty;
    walk_locked(std::min(unused, most), 1, most_steps_a_free);
    all.idle -= before - all.dirty;
    all.purge_goes_on = before - all.dirty != unused && !all.walk.is_over();
  } else {
    all.purge_goes_on = false;
  }
  if (all.purge_goes_on) return false;
  all.idle = all.dirty;
  all.idle_since_ms = now;
  return true;
}

void purge_idle_locked() {
  if (!all.purge_goes_on && all.gives_until_clock-- != 0) return;
  all.gives_until_clock = gives_for_each_clock - 1;
  if (settings().cache_is_fixed.load(relaxed)) return;
  const std::uint64_t now = os::now_ms();
  const std::size_t most =
      std::min<std::size_t>((now - all.last_look_ms) * slices_for_each_ms, most_slices_a_free);
  if (most < slices_at_once) return;
  all.last_look_ms = now;
  purge_unused_locked(now, most);
}

bool make_address_space() {
  const os::lock_guard guard(all.lock);
  complete_words_locked();
  bool made = false;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    const std::size_t end = std::max(free_tail_locked(ranges[k]), least_range_slices);
    if (end < ranges[k].committed()) made |= cut_tail_locked(ranges[k], end);
  }
  all.space_is_limited |= made;
  note_who_keeps_locked();
  return made;
}

std::size_t purge() {
  const os::lock_guard guard(all.lock);
  const std::size_t before = all.dirty;
  purge_down_to_locked(0);
  all.cap = least_cap;
  return (before - all.dirty) * slice_bytes;
}

void note_who_keeps_locked() {
  others_may_keep.store(!cap_is_strict(settings()) && !all.space_is_limited, relaxed);
}

void set_cache_cap(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().cache_is_fixed.store(bytes != adaptive_cap, relaxed);
  settings().cache_bytes = bytes;
  note_who_keeps_locked();
  if (bytes != adaptive_cap) purge_down_to_locked(bytes);
}

void set_purge_delay(std::uint64_t ms) {
  const os::lock_guard guard(all.lock);
  settings().purge_delay_ms.store(ms, relaxed);
  note_who_keeps_locked();
  if (ms == 0) purge_down_to_locked(strict_cap_locked(settings()));
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
  if (left != 0) shed_excess_locked(ranges[0], 1);
  return left == 0;
}

}  // namespace heapsmith::spans
