// Threads that sleep until another thread has come as far: a parking lot, as in WebKit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::replayer {

inline std::uint64_t clock_now() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#endif
}

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

/// Effects: sleeps until `word` is no longer `value`, or is woken without reason, or after `ns`.
void sleep_on(atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t ns = ~0ull);
void wake_all(atomic<std::uint32_t>& word);

/// Threads sleep at the place of the key that they wait for, so that a change wakes few others.
class parking_lot {
 public:
  /// Of the first sleep of a wait; each further one is twice as long. A change without a barrier
  /// may miss a thread that falls asleep at the same moment, which then looks again.
  static constexpr std::uint64_t until_a_look = 20'000'000;
  static constexpr std::uint64_t until_woken = UINT64_MAX;

  explicit parking_lot(std::uint64_t first_sleep_ns) : first_sleep_ns_(first_sleep_ns) {}

  /// Effects: waits until `is_over()`, which a change of `key` makes true. Returns: the counts of
  /// the clock that it waited.
  template <class F>
  std::uint64_t wait(std::uint64_t key, F is_over) {
    const std::uint64_t before = clock_now();
    for (unsigned i = 0; i < spins; ++i) {
      if (is_over()) return clock_now() - before;
      pause();
    }
    place& here = place_of(key);
    here.sleepers.fetch_add(1, relaxed);  // relaxed, both: the barrier follows
    sleepers_.fetch_add(1, relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::uint64_t ns = first_sleep_ns_;; ns = std::max(ns, 2 * ns)) {
      // acquire pairs with wake_place(): who sees the new number sees the change.
      const std::uint32_t seen = here.wakes.load(acquire);
      if (is_over()) break;
      sleep_on(here.wakes, seen, ns);
    }
    here.sleepers.fetch_sub(1, relaxed);  // relaxed, both: one wake more costs a call
    sleepers_.fetch_sub(1, relaxed);
    return clock_now() - before;
  }

  /// Effects: wakes those who wait for `key`. Requires: it has just changed; with until_woken,
  /// there was a barrier since. Complexity: a load, while nobody sleeps.
  void wake(std::uint64_t key) {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the change comes first in the code
    if (sleepers_.load(relaxed) != 0) [[unlikely]]
      wake_place(key);
  }

 private:
  /// A wait that is over after so many looks costs no call of the kernel.
  static constexpr unsigned spins = 100;
  /// With as many threads asleep, a change wakes about one that waits for something else.
  static constexpr unsigned log_places = 10;

  struct place {
    atomic<std::uint32_t> sleepers{0};
    atomic<std::uint32_t> wakes{0};
  };

  place& place_of(std::uint64_t key) {
    return places_[key * 0x9E3779B97F4A7C15u >> (64 - log_places)];
  }
  void wake_place(std::uint64_t key);

  std::uint64_t first_sleep_ns_;
  place places_[1u << log_places];
  alignas(64) atomic<std::uint32_t> sleepers_{0};  // at all places
};

}  // namespace heapsmith::replayer
