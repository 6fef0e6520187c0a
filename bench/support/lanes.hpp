// The same work by several threads at once, in phases that they begin together.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "support/measure.hpp"

namespace bench {

/// Times each phase from when the first thread begins it to when the last one is done.
class lanes {
 public:
  lanes(unsigned threads, unsigned phases)
      : threads_(threads), together_(static_cast<std::ptrdiff_t>(threads)), phases_(phases) {}

  /// Calls `work(number)` in every thread. With one the process stays single-threaded: allocators
  /// take notice.
  template <class Work>
  void run(Work work) {
    std::vector<std::thread> others;
    for (unsigned number = 1; number < threads_; ++number) others.emplace_back(work, number);
    work(0U);
    for (std::thread& thread : others) thread.join();
  }

  /// Called by every thread, for the phases in their order.
  template <class Work>
  void timed(unsigned phase, Work work) {
    together_.arrive_and_wait();
    const double begin = seconds_now();
    work();
    const double end = seconds_now();
    const std::lock_guard guard(lock_);
    phases_[phase].begin = std::min(phases_[phase].begin, begin);
    phases_[phase].end = std::max(phases_[phase].end, end);
  }

  double seconds(unsigned phase) const { return phases_[phase].end - phases_[phase].begin; }
  unsigned threads() const { return threads_; }

 private:
  struct span {
    double begin = std::numeric_limits<double>::infinity();
    double end = 0;
  };

  unsigned threads_;
  std::barrier<> together_;
  std::mutex lock_;
  std::vector<span> phases_;
};

}  // namespace bench
