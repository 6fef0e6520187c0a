// The purger: hazard_purger CASE. Run with HEAPSMITH_PURGE_THREAD=1 and a purge delay of 50 ms,
// except the case `absent`. The case `idle` prints what the process holds after 2.5 s.
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "hazard.h"

enum { blocks = 640, block_bytes = 100000 };  // 61 MiB
enum { small_blocks = 20000, small_bytes = 1000 };

static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0) REQUIRE(errno == EINTR);
}

// The number of the thread heapsmith-purge; 0 if it does not exist. `count` learns how
// many threads there are.
static long find_purger(int* count) {
  DIR* tasks = opendir("/proc/self/task");
  REQUIRE(tasks != NULL);
  long found = 0;
  *count = 0;
  for (const struct dirent* each; (each = readdir(tasks)) != NULL;) {
    if (each->d_name[0] == '.') continue;
    ++*count;
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", each->d_name);
    const int fd = open(path, O_RDONLY);
    if (fd < 0) continue;  // it has just ended
    REQUIRE(read(fd, name, sizeof name - 1) > 0);
    close(fd);
    if (strcmp(name, "heapsmith-purge\n") == 0) found = atol(each->d_name);
  }
  closedir(tasks);
  return found;
}

// It may be about to begin.
static bool has_purger(void) {
  int count;
  for (int i = 0; i < 1000 && find_purger(&count) == 0; ++i) sleep_ms(5);
  return find_purger(&count) != 0;
}

// A line of the status of a thread, such as "SigBlk:". Without a call of the heap.
static void read_status(long thread, const char* line, char* value, size_t size) {
  char path[64], text[4096] = "";
  snprintf(path, sizeof path, "/proc/self/task/%ld/status", thread);
  const int fd = open(path, O_RDONLY);
  REQUIRE(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
  close(fd);
  const char* found = strstr(text, line);
  REQUIRE(found != NULL);
  found += strlen(line);
  found += strspn(found, " \t");
  snprintf(value, size, "%.*s", (int)strcspn(found, "\n"), found);
}

static void use_much(void) {
  // Much thread storage: the purger's thread has room for it.
  static _Thread_local void* held[blocks];
  static _Thread_local void* small[small_blocks];
  for (int i = 0; i < blocks; ++i) held[i] = memset(malloc(block_bytes), 1, block_bytes);
  for (int i = 0; i < small_blocks; ++i) small[i] = memset(malloc(small_bytes), 1, small_bytes);
  for (int i = 0; i < small_blocks; ++i) free(small[i]);
  for (int i = 0; i < blocks; ++i) free(held[i]);
}

// Waits without a call of the heap until the process has shrunk.
static void await_shrinking(long to_kib) {
  for (int i = 0; resident_kib() > to_kib; ++i, sleep_ms(20)) REQUIRE(i < 250);
}

static long start_kib;

// Comes and goes through all states: at work, purged, at work again.
static void shrinks_when_idle(long but_for_kib) {
  for (int round = 0; round < 3; ++round) {
    use_much();
    await_shrinking(start_kib + but_for_kib);
  }
  REQUIRE(has_purger());
}

static void* shrink(void* unused) {
  shrinks_when_idle(8192);  // the threads had thread storage
  return unused;
}

enum { sleepers = 40, of_each = 300 };
static pthread_barrier_t asleep, ended;

// Frees all that it had, and does nothing more.
static void* sleep_at_last(void* unused) {
  void* held[of_each];
  for (size_t i = 0; i < of_each; ++i) {
    const size_t bytes = (i % 60 + 1) * 500;
    held[i] = memset(malloc(bytes), 1, bytes);
  }
  for (int i = 0; i < of_each; ++i) free(held[i]);
  pthread_barrier_wait(&asleep);
  pthread_barrier_wait(&ended);
  return unused;
}

// Threads keep some of what they freed, within reach of the purger. The rest calls it.
static void empties_sleeping_threads(void) {
  pthread_t threads[sleepers];
  REQUIRE(pthread_barrier_init(&asleep, NULL, sleepers + 1) == 0);
  REQUIRE(pthread_barrier_init(&ended, NULL, sleepers + 1) == 0);
  for (int i = 0; i < sleepers; ++i)
    REQUIRE(pthread_create(&threads[i], NULL, sleep_at_last, NULL) == 0);
  pthread_barrier_wait(&asleep);
  await_shrinking(start_kib + 4096 + sleepers * 100);
  pthread_barrier_wait(&ended);
  for (int i = 0; i < sleepers; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);
}

// Looks like a process without it from the inside: signals, limits and credentials.
static void keeps_to_itself(void) {
  char value[100];
  use_much();
  await_shrinking(start_kib + 2048);
  int count;
  const long purger = find_purger(&count);
  read_status(purger, "SigBlk:", value, sizeof value);
  REQUIRE(strcmp(value, "ffffffffffffffff") == 0 || strcmp(value, "fffffffffffbfeff") == 0);
  read_status(purger, "Seccomp:", value, sizeof value);
  REQUIRE(strcmp(value, "2") == 0);
  // Nobody else may get a signal of the process.
  sigset_t set;
  REQUIRE(sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0);
  REQUIRE(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  REQUIRE(kill(getpid(), SIGUSR1) == 0);
  sleep_ms(100);
  REQUIRE(sigpending(&set) == 0 && sigismember(&set, SIGUSR1) == 1);
  if (getuid() == 0) REQUIRE(setgid(65534) == 0 && setuid(65534) == 0);
  shrinks_when_idle(2048);
  // After a stop the purger goes on.
  const pid_t watcher = fork();
  if (watcher == 0) {
    REQUIRE(kill(getppid(), SIGSTOP) == 0);
    sleep_ms(100);
    REQUIRE(kill(getppid(), SIGCONT) == 0);
    _exit(0);
  }
  shrinks_when_idle(2048);
}

static void await_child(pid_t child) {
  int status;
  REQUIRE(child > 0);
  while (waitpid(child, &status, 0) < 0) REQUIRE(errno == EINTR);
  REQUIRE(status == 0);
}

static void live_as_child(int generation);

static void fork_child(int generation) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    char threads[20];  // a call of the heap may start its purger
    read_status(getpid(), "Threads:", threads, sizeof threads);
    REQUIRE(strcmp(threads, "1") == 0);
    live_as_child(generation);
    _exit(0);
  }
  await_child(child);
}

// A child starts its own.
static void live_as_child(int generation) {
  if (generation == 3) return;
  use_much();
  REQUIRE(has_purger());
  fork_child(generation + 1);
  await_shrinking(start_kib + 8192);
}

// With one thread of its own, while the purger is at work.
static void forks_often(void) {
  for (int i = 0; i < 200; ++i) {
    uint64_t state = (uint64_t)i + 1;
    for (int k = 0; k < 100; ++k) free(memset(malloc(block_bytes), 1, block_bytes));
    for (int k = 0; k < 100; ++k) end_block(new_block(some_size(&state)));
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      for (int k = 0; k < 20; ++k) end_block(new_block(some_size(&state)));
      _exit(0);
    }
    await_child(child);
  }
}

static void* outlive_main(void* unused) {
  use_much();
  REQUIRE(has_purger());
  sleep_ms(100);
  return unused;
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  alarm(100);
  const char* what = argv[1];
  free(memset(malloc(100), 1, 100));
  start_kib = resident_kib();
  int count;
  REQUIRE(find_purger(&count) == 0 && count == 1);  // not before memory is cached
  if (strcmp(what, "idle") == 0) {
    for (int i = 0; i < 10; ++i) use_much();  // the heap learns to keep that much
    sleep_ms(2500);
    printf("%.1f MiB\n", (double)resident_kib() / 1024);
  } else if (strcmp(what, "absent") == 0) {
    use_much();
    REQUIRE(find_purger(&count) == 0 && count == 1);
  } else if (strcmp(what, "shrinks") == 0) {
    shrinks_when_idle(2048);
  } else if (strcmp(what, "threads") == 0) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) REQUIRE(pthread_create(&threads[i], NULL, outlive_main, NULL) == 0);
    for (int i = 0; i < 4; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);
    REQUIRE(pthread_create(&threads[0], NULL, shrink, NULL) == 0);
    REQUIRE(pthread_join(threads[0], NULL) == 0);
  } else if (strcmp(what, "sleepers") == 0) {
    empties_sleeping_threads();
  } else if (strcmp(what, "apart") == 0) {
    keeps_to_itself();
  } else if (strcmp(what, "fork") == 0) {
    live_as_child(0);
  } else if (strcmp(what, "forks") == 0) {
    forks_often();
  } else if (strcmp(what, "ends") == 0) {
    // The process ends with the last of its own threads.
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, outlive_main, NULL) == 0);
    REQUIRE(pthread_detach(thread) == 0);
    pthread_exit(NULL);
  } else if (strcmp(what, "execs") == 0) {
    use_much();
    REQUIRE(has_purger());
    execl("/proc/self/exe", argv[0], "ends", NULL);
    REQUIRE(false);
  } else {
    REQUIRE(false);
  }
  return 0;
}
