// The calls of the kernel by which threads sleep and wake each other.
#include "parking.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace heapsmith::replayer {

void sleep_on(atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t ns) {
  const timespec most = {static_cast<time_t>(ns / 1'000'000'000),
                         static_cast<long>(ns % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &most, nullptr, 0);
}

void wake_all(atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7FFFFFFF, nullptr, nullptr, 0);
}

void parking_lot::wake_place(std::uint64_t key) {
  place& there = place_of(key);
  if (there.sleepers.load(relaxed) == 0) return;
  there.wakes.fetch_add(1, release);  // pairs with wait()
  wake_all(there.wakes);
}

}  // namespace heapsmith::replayer
