// A program that is recorded while it runs, for the tests of `heapsmith record -p`. Prints "ready"
// when it has begun, and ends with code 3 when its input ends. attached.c MODE [LIBRARY]
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ends;
static void* volatile kept[1000];

// Blocks of 700 bytes: whichever thread allocates checks that they are its own.
static void work(unsigned n) {
  const unsigned slot = n % 1000;
  unsigned char* old = __atomic_exchange_n(&kept[slot], NULL, __ATOMIC_ACQ_REL);
  if (old != NULL) {
    for (int i = 1; i < 700; ++i)
      if (old[i] != old[0]) abort();
    free(old);
  }
  unsigned char* p = malloc(700);
  memset(p, (int)n, 700);
  free(__atomic_exchange_n(&kept[slot], p, __ATOMIC_ACQ_REL));
}

static void* keep_working(void* p) {
  for (unsigned n = (unsigned)(long)p; !ends; n += 7) {
    work(n);
    if (n % 64 == 0) usleep(1000);
  }
  return NULL;
}

static void* wait_for_end(void* p) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  ends = 1;
  return p;
}

static void ready(void) {
  puts("ready");
  fflush(stdout);
}

static void sleeping_main_with_threads(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, keep_working, (void*)i);
  while (!ends) {
    const unsigned left = sleep(1);  // an interruption would say how much is left
    if (left != 0) exit(7);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

static void blocked_in_read(void) {
  char byte;
  for (unsigned n = 0;; ++n) {
    errno = 0;
    const ssize_t got = read(0, &byte, 1);
    if (got < 0 || errno != 0) exit(7);
    if (got == 0) break;
    work(n);
  }
}

// The kernel does not restart this call after an interruption.
static void blocked_in_epoll(void) {
  const int fd = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(fd, EPOLL_CTL_ADD, 0, &event) != 0) exit(8);
  for (unsigned n = 0;; ++n) {
    char byte;
    if (epoll_wait(fd, &event, 1, -1) < 0) exit(7);
    if (read(0, &byte, 1) <= 0) break;
    work(n);
  }
}

static volatile int signals;
static void count(int signal) {
  (void)signal;
  ++signals;
}

// No system call, so that only a breakpoint finds the thread. A signal ends it.
static void busy(void) {
  for (unsigned n = 0; signals == 0; ++n) work(n);
}

// Signals arrive all the time. A lost one would be waited for without end.
static void* send(void* to) {
  while (!ends) {
    const int before = signals;
    pthread_kill(*(pthread_t*)to, SIGUSR1);
    while (signals == before) usleep(100);
  }
  return to;
}

static void signalled(void) {
  pthread_t sender, self = pthread_self();
  pthread_create(&sender, NULL, send, &self);
  for (unsigned n = 0; !ends; ++n) {
    poll(NULL, 0, 5);
    work(n);
  }
  pthread_join(sender, NULL);
}

static void loads_later(const char* library) {
  char byte;
  if (read(0, &byte, 1) != 1) exit(8);
  void* loaded = dlopen(library, RTLD_NOW);
  void* (*make)(size_t) = loaded == NULL ? NULL : (void* (*)(size_t))dlsym(loaded, "make");
  if (make == NULL) exit(9);
  for (int i = 0; i < 1000; ++i) free(make(3000));
  while (read(0, &byte, 1) > 0) continue;
}

// Each byte makes a process that allocates more than this one.
static void forks(void) {
  char byte;
  for (unsigned n = 0; read(0, &byte, 1) > 0; ++n) {
    work(n);
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 2000; ++i) work(n);
      _exit(5);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5) exit(7);
  }
}

static void* work_shortly(void* n) {
  for (unsigned i = 0; i < 100; ++i) work((unsigned)(long)n + i);
  return NULL;
}

// Each byte starts a thread, which ends.
static void starts(void) {
  char byte;
  for (long n = 0; read(0, &byte, 1) > 0; ++n) {
    work(n);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work_shortly, (void*)n) != 0) exit(7);
    pthread_join(thread, NULL);
  }
}

static void becomes_another(char* program) {
  char byte;
  if (read(0, &byte, 1) != 1) exit(8);
  execl(program, program, "read", NULL);
  exit(9);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 500; ++i) kept[i] = memset(malloc(700), i, 700);
  pthread_t watch;
  if (strcmp(mode, "threads") == 0 || strcmp(mode, "signals") == 0)
    pthread_create(&watch, NULL, wait_for_end, NULL);
  signal(SIGUSR1, count);
  ready();
  if (strcmp(mode, "threads") == 0) sleeping_main_with_threads();
  if (strcmp(mode, "busy") == 0) busy();
  if (strcmp(mode, "read") == 0) blocked_in_read();
  if (strcmp(mode, "epoll") == 0) blocked_in_epoll();
  if (strcmp(mode, "signals") == 0) signalled();
  if (strcmp(mode, "loads") == 0 && argc > 2) loads_later(argv[2]);
  if (strcmp(mode, "forks") == 0) forks();
  if (strcmp(mode, "starts") == 0) starts();
  if (strcmp(mode, "exec") == 0) becomes_another(argv[0]);
  puts("done");
  return 3;
}
