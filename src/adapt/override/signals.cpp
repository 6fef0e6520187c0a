// sigaction() and signal() of the program keep the reports of src/watch/on_signal.cpp. All others
// go on to libc.
#include <signal.h>

#include "watch/on_signal.hpp"

#ifdef __GLIBC__
// Other names of libc for the same functions.
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*);

#define HS_STANDS_BEFORE extern "C" __attribute__((visibility("default"), used))

HS_STANDS_BEFORE int sigaction(int number, const struct sigaction* action,
                               struct sigaction* old) noexcept {
  if (!heapsmith::watch::is_reported_on(number)) return __sigaction(number, action, old);
  return heapsmith::watch::change_action(number, action, old);
}

HS_STANDS_BEFORE sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (!heapsmith::watch::is_reported_on(number)) return ssignal(number, handler);
  struct sigaction action = {}, old;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  action.sa_mask.__val[0] = 1UL << (number - 1);
  return heapsmith::watch::change_action(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
#endif
