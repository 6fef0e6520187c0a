// Starts one program and reports its time and memory: the static parent of every measured process.
//
// usage: launcher REPORT_FD TIMEOUT_MS PATH [NAME=VALUE | -NAME]... -- ARGV0 [ARG]...
//
// Why it exists: at exec Linux includes the old image's peak RSS in the new image's ru_maxrss. So a
// program started by a large parent reports at least the parent's size. This parent has a few
// hundred KiB, less than the smallest dynamic program, and posix_spawn shares its memory until
// exec.
//
// NAME=VALUE and -NAME change the child's environment only. One line goes to REPORT_FD:
//   ran PID WALL_NS USER_US SYSTEM_US MAXRSS_KIB MINOR_FAULTS MAJOR_FAULTS WAIT_STATUS LEFT HOW
// where HOW is ended, timeout or stopped; or "refused ERRNO" if the child could not be started.
// Times and faults are sums over the child and all its descendants that were waited for, and
// MAXRSS_KIB is the largest of them. LEFT counts the processes that the child left running; the
// launcher kills them.
//
// Like `time`, it ignores SIGINT and SIGQUIT. The child gets them from the terminal and keeps its
// own handling. SIGTERM, SIGHUP or the end of the launcher's parent stops the child. SIGUSR1,
// queued with the number of a signal, sends that signal to the child, and to the processes that the
// child leaves running when it ends. The launcher then waits for all of them.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "stop_tree.h"

struct order {
  int report_fd;
  int64_t timeout_ns;  // 0: none
  const char* path;
  char** argv;
};

enum outcome { outcome_ended, outcome_timeout, outcome_stopped };
static const char* const outcome_names[] = {"ended", "timeout", "stopped"};

static const int64_t ns_per_s = 1000000000;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ns_per_s + now.tv_nsec;
}

static int usage_error(const char* why) {
  fprintf(stderr, "launcher: %s\n", why);
  return 2;
}

// Reads the command line and applies its changes to the environment.
static int read_order(int argc, char** argv, struct order* order) {
  if (argc < 6) return usage_error("REPORT_FD TIMEOUT_MS PATH [NAME=VALUE|-NAME]... -- ARGV...");
  order->report_fd = atoi(argv[1]);
  order->timeout_ns = strtoll(argv[2], NULL, 10) * 1000000;
  order->path = argv[3];
  int i = 4;
  for (; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    int failed = argv[i][0] == '-' ? unsetenv(argv[i] + 1) : putenv(argv[i]);
    if (failed != 0) return usage_error("bad change to the environment");
  }
  if (i + 1 >= argc) return usage_error("no program given");
  order->argv = argv + i + 1;
  if (fcntl(order->report_fd, F_SETFD, FD_CLOEXEC) != 0) return usage_error("bad REPORT_FD");
  return 0;
}

// The signals that the launcher waits for. They stay blocked, so that none is lost between waits.
static sigset_t awaited_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR1);
  return set;
}

// Ignores `signal` here; adds it to `restore` unless it was ignored before (nohup, background).
static void ignore_here(int signal, sigset_t* restore) {
  struct sigaction ignore;
  struct sigaction before;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigaction(signal, &ignore, &before);
  if (before.sa_handler != SIG_IGN) sigaddset(restore, signal);
}

static int start(const struct order* order, const sigset_t* mask_before, pid_t* child) {
  sigset_t restore;
  sigemptyset(&restore);
  ignore_here(SIGINT, &restore);
  ignore_here(SIGQUIT, &restore);
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) return error;
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, mask_before);
  posix_spawnattr_setsigdefault(&attributes, &restore);
  error = posix_spawn(child, order->path, NULL, &attributes, order->argv, environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// Waits for a signal. Returns its number, 0 at the deadline, or -1 if the wait was interrupted.
static int next_signal(int64_t deadline_ns, const sigset_t* awaited, siginfo_t* info) {
  if (deadline_ns == 0) return sigwaitinfo(awaited, info);
  int64_t left_ns = deadline_ns - now_ns();
  if (left_ns < 0) left_ns = 0;
  struct timespec left = {left_ns / ns_per_s, left_ns % ns_per_s};
  int signal = sigtimedwait(awaited, info, &left);
  return signal < 0 && errno == EAGAIN ? 0 : signal;
}

static enum outcome await_end(pid_t child, int64_t deadline_ns, const sigset_t* awaited,
                              struct tree_end* end) {
  int passed_on = 0;
  for (;;) {
    siginfo_t info;
    int signal = next_signal(deadline_ns, awaited, &info);
    reap_ended(child, end);
    if (signal == SIGUSR1 && info.si_code == SI_QUEUE && !end->ended) {
      passed_on = info.si_value.sival_int;
      kill(child, passed_on);
    }
    if (end->ended && (passed_on == 0 || !signal_orphans(passed_on))) return outcome_ended;
    if (signal == SIGTERM || signal == SIGHUP) return outcome_stopped;
    if (signal == 0) return outcome_timeout;
  }
}

static int64_t microseconds(struct timeval value) {
  return (int64_t)value.tv_sec * 1000000 + value.tv_usec;
}

int main(int argc, char** argv) {
  struct order order = {0};
  int usage = read_order(argc, argv, &order);
  if (usage != 0) return usage;

  const sigset_t awaited = awaited_signals();
  sigset_t mask_before;
  sigprocmask(SIG_BLOCK, &awaited, &mask_before);
  // Stops with its parent, and becomes the parent of processes that the program leaves behind.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  struct tree_end end = {0};
  pid_t child = 0;
  int64_t began_ns = now_ns();
  int error = start(&order, &mask_before, &child);
  if (error != 0) {
    dprintf(order.report_fd, "refused %d\n", error);
    return 1;
  }
  int64_t deadline_ns = order.timeout_ns == 0 ? 0 : began_ns + order.timeout_ns;
  enum outcome outcome = await_end(child, deadline_ns, &awaited, &end);
  int64_t wall_ns = now_ns() - began_ns;
  int left = 0;
  if (outcome == outcome_ended) {
    left = end_leftovers(&end);
  } else {
    stop_tree(child, &end);
  }

  const struct rusage* total = &end.usage;
  dprintf(order.report_fd, "ran %d %lld %lld %lld %ld %ld %ld %d %d %s\n", (int)child,
          (long long)wall_ns, (long long)microseconds(total->ru_utime),
          (long long)microseconds(total->ru_stime), total->ru_maxrss, total->ru_minflt,
          total->ru_majflt, end.status, left, outcome_names[outcome]);
  return 0;
}
