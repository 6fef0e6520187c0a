// Waiting on a word of memory that several processes map, by futexes.
#include "os/shared_wait.hpp"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace heapsmith::os {

namespace {
// Of linux/futex.h, which musl's compilers do not find. Without FUTEX_PRIVATE_FLAG.
constexpr int futex_wait = 0, futex_wake = 1;
}  // namespace

void wait_shared(const atomic<std::uint32_t>& word, std::uint32_t expected, std::uint32_t ms) {
  const int saved = errno;
  const struct timespec limit = {static_cast<time_t>(ms / 1000),
                                 static_cast<long>(ms % 1000) * 1'000'000};
  const long done = syscall(SYS_futex, &word, futex_wait, expected, &limit, nullptr, 0);
  // Where the kernel refuses futexes, the callers poll.
  if (done != 0 && errno != ETIMEDOUT && errno != EAGAIN && errno != EINTR) sched_yield();
  errno = saved;
}

void wake_shared(const atomic<std::uint32_t>& word, int count) {
  const int saved = errno;
  syscall(SYS_futex, &word, futex_wake, count, nullptr, nullptr, 0);
  errno = saved;
}

}  // namespace heapsmith::os
