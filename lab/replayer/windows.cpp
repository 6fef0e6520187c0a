// Counts the threads that are done with each window, and the windows that are complete.
#include "windows.hpp"

namespace heapsmith::replayer {
namespace {

constexpr memory_order seq_cst = std::memory_order_seq_cst;

}  // namespace

std::uint64_t windows::enter(std::uint32_t complete) {
  // acquire pairs with leave(): blocks that were allocated in complete windows are there.
  const auto is_over = [&] { return complete_.load(acquire) >= complete; };
  return is_over() ? 0 : waiting_.wait(complete, is_over);
}

void windows::leave(std::uint32_t number, std::uint32_t threads) {
  const std::uint32_t at = number % ring;
  // acq_rel: the last one to leave passes on what all did in the window.
  if (left_[at].fetch_add(1, acq_rel) + 1 != threads) return;
  left_[at].store(0, relaxed);  // published with the next line
  // seq_cst, here and below: of two threads that complete two windows, one sees both. With
  // acquire and release, each could miss the other's, and nobody would count on.
  is_complete_[at].store(number + 1, seq_cst);
  // Each step of the count is made once, by one of the threads that come here.
  for (;;) {
    std::uint32_t done = complete_.load(seq_cst);
    if (is_complete_[done % ring].load(seq_cst) != done + 1) break;
    if (!complete_.compare_exchange_strong(done, done + 1, seq_cst)) continue;
    std::atomic_thread_fence(seq_cst);
    waiting_.wake(done + 1);
  }
}

void windows::reset() {
  // relaxed: the threads of the next pass start after this
  complete_.store(0, relaxed);
  for (auto& each : left_) each.store(0, relaxed);
  for (auto& each : is_complete_) each.store(0, relaxed);
}

}  // namespace heapsmith::replayer
