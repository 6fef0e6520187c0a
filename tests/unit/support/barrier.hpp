// A barrier for tests: threads wait for each other.
#pragma once

#include <condition_variable>
#include <mutex>

namespace heapsmith::test {

/// As std::barrier, which sometimes waits for ever in MinGW's libstdc++ 12.
class barrier {
 public:
  explicit barrier(int threads) : threads_(threads) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const unsigned mine = round_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      next_round_.notify_all();
    } else {
      next_round_.wait(lock, [&] { return round_ != mine; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable next_round_;
  const int threads_;
  int arrived_ = 0;
  unsigned round_ = 0;
};

}  // namespace heapsmith::test
