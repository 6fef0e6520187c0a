// Counts the threads that are within calls of the kernel, and finds filters of system calls.
#include "record/confine.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>

namespace heapsmith::recorder {
namespace {

constinit atomic<std::uint32_t> within{0};
constinit atomic<bool> has_filter{false};

}  // namespace

constinit atomic<std::uint32_t> confined{0};

// Both sequentially consistent: either become_confined() sees this thread, or this thread sees that
// the process is confined.
kernel_calls::kernel_calls() {
  within.fetch_add(1);
  level_ = static_cast<confinement>(confined.load());
}

kernel_calls::~kernel_calls() {
  within.fetch_sub(1, release);  // pairs with become_confined()
}

void become_confined(confinement to) {
  confined.store(static_cast<std::uint32_t>(to));  // sequentially consistent: see above
  if (to != confinement::filtered) return;
  // A thread that has gone for ever, by vfork() or a signal, is not waited for without end.
  constexpr unsigned most_looks = 10'000;
  for (unsigned i = 0; i < most_looks && within.load() != 0; ++i) sched_yield();
}

void forget_kernel_calls() {
  within.store(0, relaxed);  // relaxed: the child has one thread
}

void look_for_filter() {
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[4096];
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return;
  text[n] = 0;
  constexpr char field[] = "\nSeccomp:\t";
  const char* at = strstr(text, field);
  if (at != nullptr && at[sizeof field - 1] != '0')
    has_filter.store(true, relaxed);  // relaxed: a fact of its own
}

bool may_make_unusual_calls() {
  return !has_filter.load(relaxed) && !is_confined_to(confinement::filtered);
}

}  // namespace heapsmith::recorder
