// Waiting for windows: a short spin, then the kernel.
#include "windows.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heapsmith::replayer {
namespace {

constexpr unsigned spins = 100;
constexpr memory_order seq_cst = std::memory_order_seq_cst;

}  // namespace

void sleep_on(atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_all(atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7FFFFFFF, nullptr, nullptr, 0);
}

std::uint64_t windows::enter(std::uint32_t complete) {
  // acquire pairs with leave(): blocks that were allocated in complete windows are there.
  if (complete_.load(acquire) >= complete) return 0;
  const std::uint64_t before = clock_now();
  for (unsigned i = 0; i < spins; ++i) {
    if (complete_.load(acquire) >= complete) return clock_now() - before;
    pause();
  }
  // seq_cst, as in leave(): either this thread sees the new count, or the other sees a sleeper.
  sleepers_.fetch_add(1, seq_cst);
  for (;;) {
    const std::uint32_t seen = complete_.load(seq_cst);
    if (seen >= complete) break;
    sleep_on(complete_, seen);
  }
  sleepers_.fetch_sub(1, relaxed);  // relaxed: one wake more costs a call
  return clock_now() - before;
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
    complete_.compare_exchange_strong(done, done + 1, seq_cst);
  }
  if (sleepers_.load(seq_cst) != 0) wake_all(complete_);
}

void windows::reset() {
  // relaxed: the threads of the next pass start after this
  complete_.store(0, relaxed);
  for (auto& each : left_) each.store(0, relaxed);
  for (auto& each : is_complete_) each.store(0, relaxed);
}

}  // namespace heapsmith::replayer
