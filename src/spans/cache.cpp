// The cache of free memory: how much of it stays. docs/design/giving-back.md
#include <algorithm>

#include "os/os.hpp"
#include "os/settings.hpp"
#include "spans/purger.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

static_assert(never_purge == os::never);  // settings() takes the one for the other

/// A look releases no more while it has the lock: about 1 ms.
constexpr std::size_t most_slices_at_once = 16 * MiB / slice_bytes;
/// No free looks at more runs of dirty slices, or words without any.
constexpr std::size_t most_steps_a_free = 64;

/// The user says how much may stay. Then nothing above it stays.
bool cap_is_strict(const span_settings& user) {
  return user.cache_is_fixed.load(relaxed) || user.purge_delay_ms.load(relaxed) == 0;
}

std::size_t strict_cap_locked(const span_settings& user) {
  const bool fixed = user.cache_is_fixed.load(relaxed);
  return std::max(fixed ? user.cache_bytes : 0, all.promised * slice_bytes);
}

/// Dirty slices that nobody was promised.
std::size_t free_for_all_locked() {
  return all.dirty - all.promised;
}

/// Releases up to `most` slices, as the policy has decided, with a look at no more than so many
/// runs of dirty slices, or words without any. Returns how many.
std::size_t release_some_locked(std::size_t most, std::size_t steps) {
  const std::size_t before = all.dirty, aim = before - std::min(before, most);
  // What came back since the walk passed it is found by the next one.
  for (int walks = 0; walks != 2 && all.dirty > aim; ++walks) {
    walk_locked(all.dirty - aim, steps);
    if (!all.walk.is_over()) break;
  }
  // Else the walk goes on later: what is dirty lies further down.
  if (all.dirty != before || all.walk.is_over()) all.policy.release(before - all.dirty);
  return before - all.dirty;
}

/// Where use falls, releases some of what is free.
void release_after_fall_locked(std::size_t given) {
  const bool falls = all.policy.falls();
  const std::size_t n =
      all.policy.fall(given, all.in_use, free_for_all_locked(), [] { return os::now_ms(); });
  if (n == 0) return;
  all.numbers.purges += !falls;
  release_some_locked(n, most_steps_a_free);
}

}  // namespace

constinit atomic<bool> others_may_keep{false};

void purge_down_to_locked(std::size_t keep) {
  if (all.dirty * slice_bytes <= keep) return;
  ++all.numbers.purges;
  start_walk_locked();
  walk_locked(slices_for(all.dirty * slice_bytes - keep), SIZE_MAX);
}

void shed_excess_locked(range& r, std::size_t given) {
  // Little is free, and nothing limits that: as after most frees.
  if (others_may_keep.load(relaxed) && all.dirty < all.purger_sleeps_through &&
      all.dirty <= giving_back::always_kept)
    return;
  const span_settings& user = settings();
  if (!cap_is_strict(user)) {
    release_after_fall_locked(given);
  } else if (const std::size_t cap = strict_cap_locked(user); all.dirty * slice_bytes > cap) {
    // A little more, so that a program at its cap does not pay a system call each time.
    const std::size_t more = (cap - all.promised * slice_bytes) / 4;
    purge_down_to_locked(cap - std::min(more, giving_back::slices_at_once * slice_bytes));
  }
  if (all.space_is_limited) trim_tail_locked(r);
  if (all.dirty >= all.purger_sleeps_through) [[unlikely]]
    call_purger_locked();
}

std::size_t unneeded_locked(std::uint64_t now) {
  if (settings().cache_is_fixed.load(relaxed)) return 0;
  const std::uint64_t before = all.policy.since_ms();
  const std::size_t n =
      all.policy.look(now, settings().purge_delay_ms.load(relaxed), free_for_all_locked());
  all.numbers.purges += all.policy.owed() != 0 && before != all.policy.since_ms();
  return n;
}

std::size_t release_unneeded_locked(std::size_t most) {
  const std::size_t n = std::min({most, all.policy.owed(), most_slices_at_once});
  // Words without dirty slices cost little: a look passes as many as describe 16 GiB.
  return n == 0 ? 0 : release_some_locked(n, 16 * most_slices_at_once);
}

void look(std::uint64_t now) {
  // Who has the lock may be looking: a later look will do.
  if (!all.lock.try_acquire()) return;
  for (std::size_t left = unneeded_locked(now); left != 0;) {
    left -= std::min(left, std::max(release_unneeded_locked(left), most_slices_at_once));
    if (left == 0) break;
    all.lock.release();  // others get it meanwhile
    if (!all.lock.try_acquire()) return;
  }
  all.lock.release();
}

std::size_t purge() {
  const os::lock_guard guard(all.lock);
  const std::size_t before = all.dirty;
  purge_down_to_locked(0);
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) forget_tail_locked(ranges[k]);
  return (before - all.dirty) * slice_bytes;
}

void note_who_keeps_locked() {
  const bool is_limited = all.space_is_limited || settings().limit_bytes != 0;
  others_may_keep.store(!cap_is_strict(settings()) && !is_limited, relaxed);
}

void set_cache_cap(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().cache_is_fixed.store(bytes != no_fixed_cap, relaxed);
  settings().cache_bytes = bytes;
  note_who_keeps_locked();
  if (bytes != no_fixed_cap) purge_down_to_locked(bytes);
}

void set_purge_delay(std::uint64_t ms) {
  const os::lock_guard guard(all.lock);
  settings().purge_delay_ms.store(ms, relaxed);
  note_who_keeps_locked();
  if (ms == 0) purge_down_to_locked(strict_cap_locked(settings()));
}

}  // namespace heapsmith::spans
