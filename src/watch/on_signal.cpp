// Stands before the program's actions for two signals.
#include "watch/on_signal.hpp"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/settings.hpp"
#include "watch/report.hpp"

#ifdef __GLIBC__
// Of libc, whatever stands before sigaction().
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*);
#else
#define __sigaction sigaction
#endif

namespace heapsmith::watch {
namespace {

constexpr unsigned char signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM};

struct reported_signal {
  int number = 0;
  bool is_named = false;          // by the user; the other is SIGTERM
  struct sigaction program = {};  // what the program wants
};
constinit reported_signal reported[2];

[[gnu::noinline]] reported_signal* find(int number) {
  for (reported_signal& s : reported)
    if (s.number != 0 && s.number == number) return &s;
  return nullptr;
}

/// By default the process dies, except that USR1 and USR2 are there to be named. A filter of system
/// calls may refuse any call: a refused getpid() is no process to send a signal to.
void act_by_default(int number) {
  if (number == SIGUSR1 || number == SIGUSR2) return;
  const struct sigaction by_default = {};
  const pid_t process = getpid();
  // The signal comes when the handler returns.
  if (process <= 0 || __sigaction(number, &by_default, nullptr) != 0 ||
      syscall(SYS_kill, process, number) != 0)
    _exit(128 + number);
}

void on_signal(int number, siginfo_t* about, void* context) {
  const int saved = errno;
  write_report();
  const auto handler = find(number)->program.sa_sigaction;  // of one argument or three
  errno = saved;
  if (handler != nullptr)
    handler(number, about, context);
  else
    act_by_default(number);
}

void report_on(reported_signal& s, int number, bool is_named) {
  if (__sigaction(number, nullptr, &s.program) != 0 || s.program.sa_handler == SIG_IGN) return;
  s.number = number;
  s.is_named = is_named;
  change_action(number, &s.program, nullptr);
}

}  // namespace

void report_on_signals() {
  const os::setting_value& named = os::value_of(os::setting::stats_signal);
  const int number = named.from != os::origin::built_in ? signals[named.number] : 0;
  if (number != 0) report_on(reported[0], number, true);
  if (number != SIGTERM && reports_to_file()) report_on(reported[1], SIGTERM, false);
}

int change_action(int number, const struct sigaction* action, struct sigaction* old) {
  reported_signal* const s = find(number);
  if (s == nullptr) return __sigaction(number, action, old);
  struct sigaction ours, was;
  if (action != nullptr) ours = *action;  // the arguments may be the same
  if (old != nullptr) *old = s->program;
  if (action != nullptr) {
    // Functions of libc such as sigset() return our handler, and a program may give it back.
    if (ours.sa_sigaction != on_signal) s->program = ours;  // first: the handler may run at once
    if (ours.sa_handler == SIG_DFL) ours.sa_flags = SA_RESTART | SA_ONSTACK;
    if (ours.sa_handler == SIG_DFL || (s->is_named && ours.sa_handler != SIG_IGN)) {
      ours.sa_flags |= SA_SIGINFO;
      ours.sa_sigaction = on_signal;
    }
  }
  const int result = __sigaction(number, action != nullptr ? &ours : nullptr, &was);
  // Another action than ours is from such a function, or the kernel's after SA_RESETHAND.
  if (old != nullptr && result == 0 && was.sa_sigaction != on_signal) *old = was;
  return result;
}

sighandler_t keep_report(int number, sighandler_t before) {
  const reported_signal* const s = find(number);
  struct sigaction now;
  if (s == nullptr || before == SIG_ERR) return before;
  const sighandler_t program = s->program.sa_handler;
  if (__sigaction(number, nullptr, &now) == 0) change_action(number, &now, nullptr);
  return reinterpret_cast<void*>(before) == reinterpret_cast<void*>(on_signal) ? program : before;
}

}  // namespace heapsmith::watch
