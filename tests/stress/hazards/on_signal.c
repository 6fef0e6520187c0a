// Ends, or goes on, by a signal that comes while it is in the heap: on_signal CASE. Prints what
// sigaction() says of SIGTERM.
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "hazard.h"

static volatile sig_atomic_t got;

static void note(int number) {
  got = number;
}

static void note_with_details(int number, siginfo_t* about, void* context) {
  got = about->si_pid == getpid() && context != NULL ? number : 0;
}

static void end_by(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static void* in_the_heap(void* until) {
  uint64_t state = (uint64_t)(uintptr_t)&state | 1;
  static __thread void* held[64];
  while (!*(volatile int*)until) {
    void** at = &held[next_number(&state) % 64];
    end_block(*at);
    *at = new_block(some_size(&state));
  }
  return NULL;
}

static void note_once(void) {
  struct sigaction action = {0}, old;
  action.sa_handler = note;
  action.sa_flags = (int)SA_RESETHAND;
  REQUIRE(sigaction(SIGTERM, &action, NULL) == 0);
  REQUIRE(sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == note);
  raise(SIGTERM);
  REQUIRE(got == SIGTERM);
}

static void begin(const char* what) {
  if (strcmp(what, "handler") == 0) REQUIRE(signal(SIGTERM, note) == SIG_DFL);
  if (strcmp(what, "again") == 0) signal(SIGTERM, end_by);
  if (strcmp(what, "ignored") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(what, "once") == 0) note_once();
  if (strcmp(what, "once more") == 0) note_once(), signal(SIGTERM, SIG_DFL);
}

static void named(void) {
  REQUIRE(signal(SIGUSR1, note) == SIG_DFL);
  raise(SIGUSR1);
  REQUIRE(got == SIGUSR1);
  struct sigaction action = {0}, old;
  action.sa_sigaction = note_with_details;
  action.sa_flags = SA_SIGINFO;
  got = 0;
  REQUIRE(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == note);
  raise(SIGUSR1);
  REQUIRE(got == SIGUSR1);
  REQUIRE(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_sigaction == note_with_details);
  errno = 0;
  REQUIRE(signal(SIGUSR1, SIG_ERR) == SIG_ERR && errno == EINVAL);
  REQUIRE(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_sigaction == note_with_details);
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  signal(SIGUSR1, SIG_DFL);
  raise(SIGUSR1);  // the process goes on
}

#ifdef __GLIBC__
// signal() as programs get it that are compiled for POSIX alone: its handlers run once.
static void of_system_v(void) {
  REQUIRE(__sysv_signal(SIGUSR1, note) == SIG_DFL);
  struct sigaction now;
  REQUIRE(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == note);
  REQUIRE((now.sa_flags & (int)SA_RESETHAND) != 0);
  raise(SIGUSR1);
  REQUIRE(got == SIGUSR1);
  REQUIRE(__sysv_signal(SIGUSR1, note) == SIG_DFL);
  REQUIRE(signal(SIGUSR1, SIG_DFL) == note);
  raise(SIGUSR1);
}
#endif

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  if (strcmp(argv[1], "named") == 0) return named(), 0;
#ifdef __GLIBC__
  if (strcmp(argv[1], "system v") == 0) return of_system_v(), 0;
#endif
  begin(argv[1]);
  struct sigaction now;
  REQUIRE(sigaction(SIGTERM, NULL, &now) == 0);
  puts(now.sa_handler == SIG_DFL ? "default" : now.sa_handler == SIG_IGN ? "ignored" : "handled");
  fflush(stdout);
  int until = 0;
  pthread_t others[2];
  if (strcmp(argv[1], "busy") == 0) {
    for (int i = 0; i < 2; ++i) REQUIRE(pthread_create(&others[i], NULL, in_the_heap, &until) == 0);
    in_the_heap(&until);  // until the process dies of the signal
  }
  if (strcmp(argv[1], "child") == 0 && fork() == 0) pause();
  raise(SIGTERM);
  return got == 0;
}
