// Keeps the threads of a replay together: nobody enters a window before those that the plan names
// are complete.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "parking.hpp"

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
  /// By the number of complete windows that ends the wait.
  parking_lot waiting_{parking_lot::until_woken};
  atomic<std::uint32_t> left_[ring] = {};
  atomic<std::uint32_t> is_complete_[ring] = {};  // number + 1
};

}  // namespace heapsmith::replayer
