// The processor's clock, which all threads of a machine read alike.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "base/atomic.hpp"
#include "record/format.hpp"

namespace heapsmith::recorder {

/// The last tick that was made up, or 0 while the clock is read. A program may forbid itself the
/// processor's clock: to read it, also in clock_gettime(), would then end the program.
extern constinit atomic<std::uint64_t> made_up;

inline bool is_clock_stopped() {
  return made_up.load(relaxed) != 0;  // relaxed: the thread that stopped the clock sees it
}

inline std::uint64_t monotonic_ns() {
  timespec now;
  if (is_clock_stopped())
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);  // the kernel reads the clock itself
  else
    clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns: the tick, or a number that only keeps the order of the events if the clock is stopped.
inline std::uint64_t tick_now() {
  if (is_clock_stopped()) [[unlikely]]
    return made_up.fetch_add(1, relaxed) + 1;  // relaxed: only the number matters
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc() >> tick_shift;
#else
  return monotonic_ns() >> tick_shift;
#endif
}

}  // namespace heapsmith::recorder
