// Vector clocks: which events of every thread happen before a point of the execution.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace heapsmith::model {

/// Thread 0 is the body of the case, which starts the others.
inline constexpr unsigned thread_max = 5;

struct vector_clock {
  std::array<std::uint16_t, thread_max> at{};

  void join(const vector_clock& other) {
    for (unsigned t = 0; t < thread_max; ++t) at[t] = std::max(at[t], other.at[t]);
  }

  /// True when the event of `thread` at `time` happens before the holder of this clock.
  bool covers(unsigned thread, std::uint16_t time) const { return time <= at[thread]; }
};

}  // namespace heapsmith::model
