// A program that waits in system calls while it is attached to, and notices an interruption: a call
// that fails, takes too long or returns too little. Prints "ready" when it has begun, and ends with
// code 3 if all was well. attached_waits.c MODE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void* volatile kept;
static const char* mode;

static void fail(const char* what) {
  printf("%s: %s: %s\n", mode, what, strerror(errno));
  fflush(stdout);
  _exit(7);
}

static void work(void) {
  for (int i = 0; i < 10; ++i) {
    kept = malloc(700);
    free(kept);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct timespec timespec_of(int ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  return t;
}

// Waits that the kernel does not restart, each with a limit. Nothing ever comes.
static long wait_for_nothing(int ms) {
  static int pair[2], server, polled, semaphores;
  if (polled == 0) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    server = socket(AF_INET, SOCK_STREAM, 0);
    listen(server, 1);
    polled = epoll_create1(0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
  }
  struct timespec limit = timespec_of(ms);
  const struct timeval time = {ms / 1000, ms % 1000 * 1000};
  struct epoll_event event;
  char byte;
  if (strcmp(mode, "epoll") == 0) return epoll_wait(polled, &event, 1, ms);
  if (strcmp(mode, "recv") == 0) {
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    return recv(pair[0], &byte, 1, 0);
  }
  if (strcmp(mode, "accept") == 0) {
    setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    return accept(server, NULL, NULL);
  }
  if (strcmp(mode, "sigtimedwait") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return sigtimedwait(&set, NULL, &limit);
  }
  struct sembuf take = {0, -1, 0};
  return semtimedop(semaphores, &take, 1, &limit);
}

// One long wait, in which the command comes, and many short ones, between which it attaches.
static void timed(void) {
  for (int n = 0; n < 60; ++n) {
    const int ms = n == 0 ? 2000 : 50;
    const double begin = now();
    errno = 0;
    const long result = wait_for_nothing(ms);
    const double seconds = now() - begin;
    if (result > 0 || (result < 0 && errno != EAGAIN)) fail("another result");
    if (seconds < ms / 1000.0 - 0.001) fail("too early");
    if (seconds > ms / 1000.0 + 0.7) fail("too late");
    work();
  }
}

static volatile int ends;
static void* keep_working(void* p) {
  while (!ends) {
    work();
    usleep(1000);
  }
  return p;
}

// Works until the input ends. This thread comes to no wait, so only `malloc` stops it.
static void work_until_end(void) {
  char byte;
  fcntl(0, F_SETFL, O_NONBLOCK);
  do
    for (int i = 0; i < 1000; ++i) work();
  while (read(0, &byte, 1) != 0);
  ends = 1;
}

static void* wait_for_ring(void* p) {
  struct io_uring_params params = {0};
  const int ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) return p;  // it is not permitted here
  syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
  fail("the ring returned");
  return p;
}

// The reader takes its time. A write that is interrupted returns what has been written until then.
static int slow[2];
static void* write_much(void* p) {
  const size_t bytes = 1 << 20;
  char* const all = calloc(1, bytes);
  while (!ends)
    if (write(slow[1], all, bytes) != (ssize_t)bytes) fail("a part was written");
  free(all);
  return p;
}
static void* read_slowly(void* p) {
  static char some[16384];
  while (read(slow[0], some, sizeof some) > 0)
    for (const double end = now() + (ends ? 0 : 0.002); now() < end;) continue;
  return p;
}

static void wait_for_end(void) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  ends = 1;
}

static void* end_for_all(void* p) {
  keep_working(p);
  puts("done");
  exit(3);
}
static void* set_end(void* p) {
  wait_for_end();
  return p;
}

// POSIX: malloc is not a point of cancellation, so this thread gives the lock back.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work_under_lock(void* p) {
  while (!ends) {
    pthread_mutex_lock(&lock);
    work();
    pthread_mutex_unlock(&lock);
  }
  pthread_testcancel();
  return p;
}
static void cancelled(void) {
  pthread_t thread;
  char byte;
  pthread_create(&thread, NULL, work_under_lock, NULL);
  pthread_cancel(thread);
  fcntl(0, F_SETFL, O_NONBLOCK);
  while (read(0, &byte, 1) != 0) continue;  // this thread comes to no safe point
  ends = 1;
  pthread_join(thread, NULL);
  if (pthread_mutex_trylock(&lock) != 0) fail("the lock is held");
}

static void waits_for_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    char byte;
    while (read(0, &byte, 1) > 0) continue;
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// A queue that is full, or empty, until the input ends.
static int messages;
static mqd_t queue;
static void* end_the_wait(void* p) {
  wait_for_end();
  struct {
    long type;
    char text[64];
  } some;
  if (strcmp(mode, "msgsnd") == 0)
    msgrcv(messages, &some, sizeof some.text, 0, 0);
  else
    mq_send(queue, "x", 1, 0);
  return p;
}
static void waits_for_message(void) {
  pthread_t watch;
  char text[64] = "x";
  long result = 0;
  // The other thread must not be the one that is taken.
  if (strcmp(mode, "msgsnd") == 0) {
    struct {
      long type;
      char text[64];
    } some = {1, "x"};
    messages = msgget(IPC_PRIVATE, 0600);
    while (msgsnd(messages, &some, sizeof some.text, IPC_NOWAIT) == 0) continue;
    pthread_create(&watch, NULL, end_the_wait, NULL);
    result = msgsnd(messages, &some, sizeof some.text, 0);
    msgctl(messages, IPC_RMID, NULL);
  } else {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
    char name[64];
    snprintf(name, sizeof name, "/attached-waits-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    if (queue < 0) fail("mq_open");
    mq_unlink(name);
    pthread_create(&watch, NULL, end_the_wait, NULL);
    result = mq_receive(queue, text, sizeof text, NULL);
  }
  if (result < 0) fail("the wait ended");
  pthread_join(watch, NULL);
}

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "";
  pthread_t thread, other;
  kept = malloc(1);
  puts("ready");
  fflush(stdout);
  if (strcmp(mode, "cancelled") == 0) {
    cancelled();
  } else if (strcmp(mode, "vfork") == 0) {
    waits_for_vfork();
  } else if (strcmp(mode, "msgsnd") == 0 || strcmp(mode, "mq") == 0) {
    waits_for_message();
  } else if (strcmp(mode, "first_ended") == 0) {
    pthread_create(&thread, NULL, set_end, NULL);
    pthread_create(&other, NULL, end_for_all, NULL);
    pthread_exit(NULL);
  } else if (strcmp(mode, "ring") == 0 || strcmp(mode, "write") == 0) {
    const int is_ring = strcmp(mode, "ring") == 0;
    if (pipe(slow) != 0) fail("pipe");
    pthread_create(&thread, NULL, is_ring ? wait_for_ring : write_much, NULL);
    if (!is_ring) pthread_create(&other, NULL, read_slowly, NULL);
    work_until_end();
    if (!is_ring) pthread_join(thread, NULL);
  } else {
    timed();
  }
  puts("done");
  fflush(stdout);
  _exit(3);
}
