// Clocks and barriers: how benchmark programs measure without changing what they time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <time.h>
#include <utility>
#include <vector>
#include <x86intrin.h>

namespace bench {

// Makes the compiler assume that other code reads and changes the object.
template <class T>
inline void keep(T& object) {
  asm volatile("" : : "g"(&object) : "memory");
}

inline double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// The time that the process spent on processors: waiting for one does not count.
inline double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time of one phase, with its barriers.
class stopwatch {
 public:
  void start() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    begin_ = seconds_now();
  }

  void stop() {
    const double end = seconds_now();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    elapsed_ += end - begin_;
  }

  // Returns the time measured since the last take.
  double take() { return std::exchange(elapsed_, 0.0); }

 private:
  double begin_ = 0;
  double elapsed_ = 0;
};

// The time stamp counter, read neither before what comes earlier nor after what comes later.
inline std::uint64_t ticks() {
  unsigned processor;
  const std::uint64_t now = __rdtscp(&processor);
  _mm_lfence();
  return now;
}

// The difference of two readings with nothing between them.
inline std::uint64_t ticks_of_nothing() {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t begin = ticks();
    least = std::min(least, ticks() - begin);
  }
  return least;
}

// The quantile of the values: part 999 of 1000 is the latency that one in a thousand exceeds.
// Reorders the values.
inline std::uint32_t quantile(std::vector<std::uint32_t>& values, std::size_t part,
                              std::size_t of) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * part / of);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace bench
