// The processor's clock, which all threads of a machine read alike.
#pragma once

#include <time.h>

#include <cstdint>

#include "watch/record/format.hpp"

namespace heapsmith::recorder {

inline std::uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t tick_now() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc() >> tick_shift;
#else
  return monotonic_ns() >> tick_shift;
#endif
}

}  // namespace heapsmith::recorder
