// How long calls took, of those that are timed: counts by powers of two, each in 16 parts.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "parking.hpp"

namespace heapsmith::replayer {

class latency {
 public:
  void add(std::uint64_t count) {
    const unsigned at = place_of(count);
    counts_[at].fetch_add(1, relaxed);  // relaxed: read after all threads have ended
    std::uint64_t most = most_.load(relaxed);
    while (count > most && !most_.compare_exchange_weak(most, count, relaxed)) {
    }
  }

  std::uint64_t calls() const {
    std::uint64_t n = 0;
    for (const auto& each : counts_) n += each.load(relaxed);
    return n;
  }

  /// Returns: so many counts of the clock that `share` of the calls took no longer.
  double quantile(double share) const {
    const double target = share * static_cast<double>(calls());
    double n = 0;
    for (unsigned i = 0; i < places; ++i) {
      n += static_cast<double>(counts_[i].load(relaxed));
      if (n >= target && n > 0) return middle_of(i);
    }
    return 0;
  }
  std::uint64_t most() const { return most_.load(relaxed); }

  void reset() {
    for (auto& each : counts_) each.store(0, relaxed);
    most_.store(0, relaxed);
  }

 private:
  static constexpr unsigned parts = 16, powers = 40, places = parts * powers;

  static unsigned place_of(std::uint64_t n) {
    if (n < parts) return static_cast<unsigned>(n);
    const unsigned power = 63 - static_cast<unsigned>(__builtin_clzll(n));
    const unsigned at = (power - 3) * parts + static_cast<unsigned>(n >> (power - 4) & (parts - 1));
    return at < places ? at : places - 1;
  }
  static double middle_of(unsigned at) {
    if (at < parts) return at;
    const unsigned power = at / parts + 3;
    const double part = static_cast<double>(std::uint64_t{1} << (power - 4));
    return (static_cast<double>(at % parts + parts) + 0.5) * part;
  }

  atomic<std::uint64_t> counts_[places];
  atomic<std::uint64_t> most_;
};

/// Times about one call in calls_a_sample of a thread.
template <bool is_timed>
class call_timer {
 public:
  /// Calls f, and times it if its turn has come.
  template <class F>
  [[gnu::always_inline]] auto time(latency& into, F f) {
    if constexpr (is_timed) {
      if (--until_timed_ == 0) [[unlikely]] {
        // Not every 64th: a pattern of the program could have the same length.
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        until_timed_ = calls_a_sample / 2 + static_cast<unsigned>(random_ >> 58);
        const std::uint64_t before = clock_now();
        auto result = f();
        into.add(clock_now() - before);
        return result;
      }
    }
    return f();
  }

 private:
  static constexpr unsigned calls_a_sample = 64;

  std::uint64_t random_ = reinterpret_cast<std::uintptr_t>(this);
  unsigned until_timed_ = calls_a_sample;
};

}  // namespace heapsmith::replayer
