// sigaction(), signal() and its form of System V keep the reports of src/watch/on_signal.cpp.
#include <signal.h>

#include "watch/on_signal.hpp"

#ifdef __GLIBC__
#define HS_STANDS_BEFORE extern "C" __attribute__((visibility("default"), used))

HS_STANDS_BEFORE int sigaction(int number, const struct sigaction* action,
                               struct sigaction* old) noexcept {
  return heapsmith::watch::change_action(number, action, old);
}

HS_STANDS_BEFORE sighandler_t signal(int number, sighandler_t handler) noexcept {
  return heapsmith::watch::keep_report(number, ssignal(number, handler));
}

// signal() in programs that are compiled for POSIX alone.
HS_STANDS_BEFORE sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return heapsmith::watch::keep_report(number, sysv_signal(number, handler));
}
#endif
