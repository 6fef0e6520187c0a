// A program that locks itself in, for the tests of `heapsmith record`. confined.c MODE [ARGUMENT …]
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* volatile kept;

// 2 * n events.
static void work(long n) {
  for (long i = 0; i < n; ++i) {
    kept = malloc(16 + (size_t)i % 500);
    free(kept);
  }
}

static void* work_in_thread(void* n) {
  work((long)n);
  return NULL;
}

static const struct {
  const char* name;
  int number;
} calls[] = {
#define CALL(name) {#name, SYS_##name}
    // What glibc's loader, its malloc and this program need.
    CALL(execve),
    CALL(brk),
    CALL(mmap),
    CALL(munmap),
    CALL(mprotect),
    CALL(openat),
    CALL(newfstatat),
    CALL(read),
    CALL(pread64),
    CALL(close),
    CALL(set_tid_address),
    CALL(set_robust_list),
    CALL(rseq),
    CALL(prlimit64),
    CALL(getrandom),
    CALL(futex),
    CALL(exit_group),
    CALL(exit),
    CALL(faccessat),
    CALL(clone3),
    CALL(rt_sigprocmask),
    CALL(rt_sigaction),
    CALL(madvise),
    CALL(write),
#if defined(__x86_64__)
    CALL(access),
    CALL(arch_prctl),
    CALL(readlink),
#endif
    {NULL, 0},
    // The recorder may need these beside.
    CALL(fallocate),
    CALL(ftruncate),
    CALL(getpid),
    CALL(getppid),
    CALL(gettid),
    CALL(mremap),
    CALL(pwrite64),
    CALL(readlinkat),
    CALL(process_vm_readv),
    CALL(mincore),
    CALL(clock_gettime),
    CALL(pwritev),
    CALL(prctl),
    CALL(fstat),
    CALL(sched_yield),
};
enum { most_calls = sizeof calls / sizeof *calls };

// Calls without a name in `more` kill the process. Those of the program itself are allowed if
// `starts` says that a program begins behind the filter.
static int filter(int starts, int n, char** more) {
  static struct sock_filter steps[2 * most_calls + 64];
  int at = 0, is_own = 1;
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
  for (int i = 0; i < most_calls; ++i) {
    if (calls[i].name == NULL) {
      is_own = 0;
      continue;
    }
    int is_allowed = is_own && starts;
    for (int k = 0; k < n; ++k) is_allowed |= strcmp(more[k], calls[i].name) == 0;
    if (!is_allowed) continue;
    steps[at++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
    steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog program = {(unsigned short)at, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

// A thread is alive before the filter, and works behind it.
static pthread_barrier_t barrier;
static void* work_behind(void* n) {
  work(1000);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  work((long)n);
  return NULL;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  pthread_t t;
  if (strcmp(mode, "marked") == 0 && getenv("MARK") == NULL) return 77;
  if (strcmp(mode, "work") == 0 || strcmp(mode, "marked") == 0) {
    work(100000);
    pthread_create(&t, NULL, work_in_thread, (void*)50000);
    pthread_join(t, NULL);
    return 5;
  }
  work(1000);
  if (strcmp(mode, "behind") == 0) {  // CALLS… -- PROGRAM MODE
    if (filter(1, argc - 5, argv + 2)) return 77;
    execl(argv[argc - 2], argv[argc - 2], argv[argc - 1], (char*)NULL);
    return 127;
  }
  if (strcmp(mode, "become") == 0) {  // PROGRAM MODE
    execl(argv[2], argv[2], argv[3], (char*)NULL);
    return 127;
  }
  if (strcmp(mode, "execle") == 0) {  // PROGRAM
    char* const marked[] = {"MARK=1", NULL};
    execle(argv[2], argv[2], "marked", (char*)NULL, marked);
    return 127;
  }
  if (strcmp(mode, "execlp") == 0) {  // PROGRAM
    setenv("MARK", "1", 1);
    execlp(argv[2], argv[2], "marked", (char*)NULL);
    return 127;
  }
  if (strcmp(mode, "filter") == 0) {
    char* own[] = {"brk",   "mmap",           "munmap", "madvise",
                   "futex", "rt_sigprocmask", "exit",   "exit_group"};
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work_behind, (void*)100000);
    pthread_barrier_wait(&barrier);
    if (filter(0, 8, own)) return 77;
    work(argc > 2 ? 10000000 : 100000);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    _exit(5);
  }
  if (strcmp(mode, "chroot") == 0 || strcmp(mode, "fork") == 0) {
    if (chroot(argv[2]) != 0 || chdir("/") != 0) return 77;
  } else if (strcmp(mode, "setuid") == 0 || strcmp(mode, "exec") == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) return 77;
  } else if (strcmp(mode, "setfsuid") == 0) {
    setfsuid(65534);
    if (setfsuid(65534) != 65534) return 77;
  } else if (strcmp(mode, "mounts") == 0) {  // the folder of the recording disappears
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", argv[2], "tmpfs", 0, NULL) != 0)
      return 77;
  } else if (strcmp(mode, "background") == 0) {
    if (daemon(1, 1) != 0) return 77;
    work(1000);
    usleep(700000);
  }
  if (strcmp(mode, "exec") == 0) {
    execl(argv[2], argv[2], "work", (char*)NULL);
    return 127;
  }
  // Of a program that closes all descriptors, nothing is lost.
  for (int fd = 3; fd < 1100; ++fd) close(fd);
  if (strcmp(mode, "fork") == 0) {
    for (int i = 0; i < 2; ++i) {
      if (fork() == 0) {
        work(200000);
        _exit(0);
      }
    }
    while (wait(NULL) > 0) {
    }
  }
  work(300000);
  return 5;
}
