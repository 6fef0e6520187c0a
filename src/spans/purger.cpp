// The purger: one thread, which looks once in each purge delay while memory is cached, and sleeps
// while none is. docs/design/giving-back.md
#include "spans/purger.hpp"

#include "os/os.hpp"
#include "os/own_thread.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

/// Less than this stays until the process caches more: no thread is worth it.
constexpr std::size_t least_cached = 1 * MiB / slice_bytes;

/// After each release, for others that want the lock.
constexpr std::uint64_t ms_between_releases = 1;

/// The clock may be as old as this.
constexpr std::uint64_t clock_tick_ms = 10;

enum : std::uint32_t { absent, asleep, awake };
/// Written under the spans' lock. relaxed: the kernel compares the word before the thread sleeps,
/// and the lock orders everything else.
constinit atomic<std::uint32_t> purger{absent};

constinit atomic<void (*)()> reclaimer{nullptr};

void fall_asleep_locked() {
  if (purger.load(relaxed) != awake) return;
  purger.store(asleep, relaxed);
  all.purger_sleeps_through = least_cached;
}

[[noreturn]] void purge_for_ever() {
  for (;;) {
    // relaxed: set before main().
    if (auto* const reclaim = reclaimer.load(relaxed)) reclaim();
    if (const std::uint64_t ms = look_for_unused(); ms != 0) os::sleep_ms(ms);
    while (purger.load(relaxed) == asleep) os::wait(&purger, asleep);
  }
}

/// After the range, whose making reads the settings.
[[gnu::constructor(102)]] void offer_purger() {
  if (!settings().purge_thread || settings().purge_delay_ms.load(relaxed) == 0) return;
  if (os::prepare_own_thread()) all.purger_sleeps_through = least_cached;
}

}  // namespace

void set_reclaimer(void (*reclaim)()) {
  reclaimer.store(reclaim, relaxed);
}

void call_purger_locked() {
  const std::uint32_t before = purger.load(relaxed);
  all.purger_sleeps_through = SIZE_MAX;  // until it falls asleep; for ever if it cannot be started
  purger.store(awake, relaxed);
  if (before == asleep)
    os::wake_one(&purger);
  else
    os::start_own_thread("heapsmith-purge", purge_for_ever);
}

void forget_purger() {
  if (!os::has_own_thread()) return;
  os::forget_own_thread();
  purger.store(absent, relaxed);
  all.purger_sleeps_through = least_cached;
}

std::uint64_t look_for_unused() {
  const os::lock_guard guard(all.lock);
  if (settings().cache_is_fixed.load(relaxed) || all.dirty <= all.promised) {
    fall_asleep_locked();
    return 0;
  }
  unneeded_locked(os::now_ms());
  if (release_unneeded_locked(SIZE_MAX) != 0 && all.policy.owed() != 0) return ms_between_releases;
  const std::uint64_t since = os::now_ms() - all.policy.since_ms();
  const std::uint64_t delay = settings().purge_delay_ms.load(relaxed);
  return (since < delay ? delay - since : 0) + clock_tick_ms;
}

}  // namespace heapsmith::spans
