// Runs the same work in several threads, in phases that all threads begin together.
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

/// Times each phase from the first thread's begin to the last thread's end.
class lanes {
 public:
  lanes(unsigned threads, unsigned phases)
      : threads_(threads), together_(static_cast<std::ptrdiff_t>(threads)), phases_(phases) {}

  /// Calls `work(number)` in every thread. With one thread the process stays single-threaded,
  /// which allocators notice.
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
