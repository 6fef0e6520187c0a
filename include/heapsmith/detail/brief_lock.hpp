// A lock of one word for sections of a few instructions, made to be tried rather than waited for.
#pragma once

#include <sched.h>
#include <time.h>

#include <atomic>

namespace heapsmith::detail {

/// Mutual exclusion without a queue: whoever finds it taken has something else to try, or waits in
/// steps. Taken and released uncontended, it costs one exchange and one store.
class brief_lock {
 public:
  [[nodiscard]] bool try_acquire() noexcept {
    // acquire pairs with the release in release(): the section sees what the last holder wrote.
    // relaxed would let its reads move before the exchange. The load before it may be stale; it
    // only keeps a lock that is taken from moving to this core.
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_acquire);
  }

  /// For the few who need this very lock. The holder may have been preempted, and under a real-time
  /// policy yielding would never let it run, so waiting ends in short sleeps.
  void acquire() noexcept {
    for (unsigned tries = 0; !try_acquire(); ++tries) {
      if (tries < 100)
        __builtin_ia32_pause();
      else if (tries < 120)
        sched_yield();
      else
        sleep_briefly();
    }
  }

  void release() noexcept {
    // release pairs with try_acquire(): the next holder sees all this section did. relaxed would
    // let its writes move behind the store.
    taken_.store(false, std::memory_order_release);
  }

 private:
  [[gnu::noinline, gnu::cold]] static void sleep_briefly() noexcept {
    constexpr timespec interval = {0, 50'000};  // ns
    nanosleep(&interval, nullptr);
  }

  std::atomic<bool> taken_ = false;
};

}  // namespace heapsmith::detail
