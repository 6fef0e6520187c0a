// A lock of one word for sections of a few instructions.
#pragma once

#if defined(_WIN32)
#include "heapsmith/detail/windows.hpp"
#else
#include <sched.h>
#include <time.h>
#endif

#include <atomic>

namespace heapsmith::detail {

/// Mutual exclusion without a queue. A thread that finds the lock taken does something else, or
/// waits in steps. Uncontended, the lock costs one exchange and one store.
class brief_lock {
 public:
  [[nodiscard]] bool try_acquire() noexcept {
    // acquire pairs with the release in release(): the section sees what the last holder wrote.
    // With relaxed, its reads could move before the exchange. The load before it may be stale. It
    // avoids moving the cache line of a taken lock to this core.
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_acquire);
  }

  /// Effects: waits for the lock. The holder may have been preempted, and under a real-time policy
  /// it never runs while this thread yields. So the thread sleeps after some tries.
  void acquire() noexcept {
    for (unsigned tries = 0; !try_acquire(); ++tries) {
      if (tries < 100)
        pause();
      else if (tries < 120)
        yield();
      else
        sleep_briefly();
    }
  }

  void release() noexcept {
    // release pairs with try_acquire(): the next holder sees what this section wrote. With relaxed,
    // those writes could move behind the store.
    taken_.store(false, std::memory_order_release);
  }

 private:
  /// Tells the processor that a loop waits, so that it leaves its units to others.
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

#if defined(_WIN32)
  static void yield() noexcept { SwitchToThread(); }
  /// Windows sleeps for one tick of its clock at least, 0.5 ms to 15.6 ms.
  [[gnu::noinline, gnu::cold]] static void sleep_briefly() noexcept { Sleep(1); }
#else
  static void yield() noexcept { sched_yield(); }
  [[gnu::noinline, gnu::cold]] static void sleep_briefly() noexcept {
    constexpr timespec interval = {0, 50'000};  // ns
    nanosleep(&interval, nullptr);
  }
#endif

  std::atomic<bool> taken_ = false;
};

}  // namespace heapsmith::detail
