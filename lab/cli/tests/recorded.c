// A program whose allocations are known, for the tests of `heapsmith record`. recorded.c MODE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void* volatile kept[4096];

static void kinds(void) {
  void* p;
  kept[0] = malloc(1001);
  kept[1] = calloc(7, 143);
  kept[2] = aligned_alloc(64, 1024);
  if (posix_memalign(&p, 128, 1003) == 0) kept[3] = p;
  kept[4] = memalign(256, 1004);
  kept[5] = realloc(NULL, 1005);
  kept[5] = realloc(kept[5], 1006);
  kept[5] = realloc(kept[5], 3000007);
  kept[6] = malloc((size_t)-1 / 2);            // fails
  kept[7] = realloc(kept[0], (size_t)-1 / 2);  // fails, and leaves the block
  malloc_usable_size(kept[0]);
  free(NULL);
  for (int i = 0; i < 6; ++i) free(kept[i]);
}

// Each thread frees the blocks of the one before it.
enum { threads = 4, rounds = 20000 };
static void* volatile slots[threads];
static pthread_barrier_t barrier;
static int passed;

static void* pass_on(void* number) {
  const long me = (long)number;
  void* volatile* const before = &slots[(me + threads - 1) % threads];
  for (int i = 0; i < rounds; ++i) {
    void* p = malloc(16 + (unsigned)(i + me) % 500);
    while (__atomic_load_n(&slots[me], __ATOMIC_ACQUIRE) != NULL) sched_yield();
    __atomic_store_n(&slots[me], p, __ATOMIC_RELEASE);
    while ((p = __atomic_exchange_n(before, NULL, __ATOMIC_ACQ_REL)) == NULL) sched_yield();
    free(p);
    __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
  }
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void run_threads(int wait_at_the_end) {
  pthread_t all[threads];
  pthread_barrier_init(&barrier, NULL, threads + (wait_at_the_end ? 1 : 0));
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, pass_on, (void*)i);
  if (wait_at_the_end) {
    // A busy machine may let the threads do nothing for a while.
    while (__atomic_load_n(&passed, __ATOMIC_RELAXED) < 200) usleep(1000);
    usleep(20000);
    kill(getpid(), SIGKILL);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

// libc allocates in pthread_getattr_np while it holds a lock of the thread.
static void* ask_for_stack(void* p) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) pthread_attr_destroy(&attributes);
  return p;
}

// The cancellation waits until sleep(), as malloc is no point for it.
static volatile int is_past;
static void* allocate_cancelled(void* p) {
  pthread_cancel(pthread_self());
  for (int i = 0; i < 100000; ++i) free(malloc(300));
  is_past = 1;
  sleep(10);
  return p;
}

static pthread_key_t key;
static int left = 3;
static void at_thread_end(void* p) {
  free(p);
  if (--left > 0) pthread_setspecific(key, malloc(777));
}
static void* end_late(void* p) {
  pthread_setspecific(key, malloc(777));
  return p;
}

static void* short_life(void* p) {
  free(malloc(555));
  return p;
}

__attribute__((noinline)) static void inner(void) {
  kept[20] = malloc(2222);
}
__attribute__((noinline)) static void middle(void) {
  inner();
  kept[21] = kept[20];
}
__attribute__((noinline)) static void outer(void) {
  middle();
  kept[22] = kept[20];
}

__attribute__((noinline)) static void whole(void) {
  kept[23] = malloc(3333);
}
__attribute__((noinline)) static void cut(void) {
  kept[24] = malloc(4444);
}
__attribute__((noinline)) static void deep(int frames, void (*leaf)(void)) {
  if (frames > 0)
    deep(frames - 1, leaf);
  else
    leaf();
  kept[25] = kept[23];
}

static void on_signal(int number) {
  (void)number;
  kept[10] = malloc(31);
  free(kept[10]);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "kinds") == 0) {
    kinds();
  } else if (strcmp(mode, "threads") == 0) {
    run_threads(0);
  } else if (strcmp(mode, "killed") == 0) {
    run_threads(1);
  } else if (strcmp(mode, "many-threads") == 0) {
    for (int i = 0; i < 2000; ++i) {
      pthread_t t;
      pthread_create(&t, NULL, short_life, NULL);
      pthread_join(t, NULL);
    }
  } else if (strcmp(mode, "locked") == 0) {
    pthread_t t;
    for (int i = 0; i < 10; ++i) {
      pthread_create(&t, NULL, ask_for_stack, NULL);
      pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, allocate_cancelled, NULL);
    pthread_join(t, NULL);
    if (!is_past) return 7;
  } else if (strcmp(mode, "late") == 0) {
    pthread_t t;
    pthread_key_create(&key, at_thread_end);
    pthread_create(&t, NULL, end_late, NULL);
    pthread_join(t, NULL);
  } else if (strcmp(mode, "fork") == 0) {
    kept[0] = malloc(5001);
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 100; ++i) free(malloc(5002));
      free(kept[0]);
      _exit(0);
    }
    for (int i = 0; i < 200; ++i) free(malloc(5003));
    waitpid(child, NULL, 0);
    free(kept[0]);
  } else if (strcmp(mode, "family") == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(5001);
    if (fork() == 0) {
      for (int i = 0; i < 400; ++i) free(kept[i]);
      for (int i = 0; i < 10; ++i) kept[i] = malloc(6002);
      if (fork() == 0) {
        for (int i = 0; i < 10; ++i) free(kept[i]);
        for (int i = 400; i < 500; ++i) free(kept[i]);
        _exit(0);
      }
      wait(NULL);
      _exit(0);
    }
    wait(NULL);
    for (int i = 0; i < 1000; ++i) free(kept[i]);
  } else if (strcmp(mode, "silent-child") == 0) {
    // The child makes no call, so it has no file. Its own child has the blocks of this moment.
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(5001);
    int go[2];
    if (pipe(go) != 0) return 6;
    if (fork() == 0) {
      char c;
      if (read(go[0], &c, 1) == 1 && fork() == 0) {
        for (int i = 0; i < 400; ++i) free(kept[i]);
        _exit(0);
      }
      wait(NULL);
      _exit(0);
    }
    for (int i = 0; i < 1000; ++i) free(kept[i]);
    for (int i = 0; i < 1000; ++i) free(malloc(7003));
    if (write(go[1], "", 1) != 1) return 6;
    wait(NULL);
  } else if (strcmp(mode, "orphan") == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(5001);
    if (fork() == 0) {
      for (int i = 0; i < 400; ++i) free(kept[i]);
      kill(getppid(), SIGKILL);
      _exit(0);
    }
    for (;;) pause();
  } else if (strcmp(mode, "fork-exec") == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(5001);
    if (fork() == 0) {
      free(kept[0]);
      execl(argv[0], argv[0], "kinds", (char*)NULL);
    }
    wait(NULL);
  } else if (strcmp(mode, "exec") == 0) {
    free(malloc(6001));
    execl(argv[0], argv[0], "kinds", (char*)NULL);
  } else if (strcmp(mode, "close") == 0) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    const int own = open("/dev/null", O_RDONLY);
    if (own != 3) return 9;
    for (int i = 0; i < 100000; ++i) free(malloc(7000));
    // Nothing of the recorder's may be open, and the number is still ours.
    if (fcntl(3, F_GETFD) < 0 || fcntl(4, F_GETFD) >= 0) return 8;
  } else if (strcmp(mode, "limit") == 0) {
    const struct rlimit most = {200 * 1024, 200 * 1024};
    setrlimit(RLIMIT_FSIZE, &most);
    for (int i = 0; i < 100000; ++i) free(malloc(8000));
  } else if (strcmp(mode, "signals") == 0) {
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 1000; ++i) {
      raise(SIGUSR1);
      free(malloc(900));
    }
  } else if (strcmp(mode, "stack") == 0) {
    outer();
    deep(400, whole);
    deep(600, cut);
  } else if (strcmp(mode, "crash") == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(4001);
    abort();
  }
  puts("done");
  return 3;
}
