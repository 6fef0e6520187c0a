// A signal handler forks while the thread it interrupts, and others, are in malloc and free.
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "churn.h"

enum { forks = 300 };
static volatile sig_atomic_t forked;
static pthread_t interrupted;

static void fork_now(int signal_number) {
  (void)signal_number;
  const int saved = errno;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(20);
    uint64_t state = (uint64_t)forked + 1;
    // In the state the interrupted call left the heap in; the slots are whole at any time.
    for (int i = 0; i < 20; ++i) free(new_block(some_size(&state)));
    _exit(0);
  }
  int status;
  REQUIRE(child > 0);
  while (waitpid(child, &status, 0) < 0) REQUIRE(errno == EINTR);
  REQUIRE(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) /* the child hangs */);
  REQUIRE(status == 0);
  ++forked;
  errno = saved;
}

static void* send_signals(void* unused) {
  uint64_t state = 3;
  while (forked < forks) {
    const int before = forked;
    pthread_kill(interrupted, SIGUSR1);
    const struct timespec pause = {0, (long)(next_number(&state) % 100000)};
    do nanosleep(&pause, NULL);
    while (forked == before);
  }
  return unused;
}

int main(void) {
  alarm(100);
  struct sigaction action = {0};
  action.sa_handler = fork_now;
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  interrupted = pthread_self();
  start_churning(2);
  pthread_t sender;
  uint64_t state = 5;
  REQUIRE(pthread_create(&sender, NULL, send_signals, NULL) == 0);
  while (forked < forks) churn_once(&state);
  REQUIRE(pthread_join(sender, NULL) == 0);
  stop_churning(2);
  return 0;
}
