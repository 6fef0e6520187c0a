// Keeps the threads of a replay together: nobody enters a window before those that the plan names
// are complete.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::replayer {

class windows {
 public:
  /// Effects: waits until the windows below `complete` are complete. Returns: the counts of the
  /// clock that it waited.
  std::uint64_t enter(std::uint32_t complete);
  /// Effects: a thread is done with a window that `threads` threads entered.
  void leave(std::uint32_t number, std::uint32_t threads);
  void reset();

 private:
  /// Windows that threads are in at a time lie closer together than this: all below the last but
  /// two are complete, because somebody has entered the last.
  static constexpr std::uint32_t ring = 16;

  atomic<std::uint32_t> complete_{0};  // all windows below it are
  atomic<std::uint32_t> sleepers_{0};
  atomic<std::uint32_t> left_[ring] = {};
  atomic<std::uint32_t> is_complete_[ring] = {};  // number + 1
};

/// Effects: sleeps until `word` is no longer `value`, or is woken without reason.
void sleep_on(atomic<std::uint32_t>& word, std::uint32_t value);
void wake_all(atomic<std::uint32_t>& word);

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

}  // namespace heapsmith::replayer
