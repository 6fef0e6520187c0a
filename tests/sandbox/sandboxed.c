// A program that locks itself in, and then makes every kind of call of the heap.
//
// sandboxed WHEN WHAT CALLS [PROGRAM…]: WHEN is early (before its first block), warm (after the
// same work was done once) or behind (the filter stands when the program starts). WHAT is a list of
// pieces of work. CALLS lists the system calls that the filter lets pass: NUMBER or
// NUMBER:ARGUMENT=VALUE…, separated by commas. The number of any other is printed before the
// program exits; where the filter stands at the start, the kernel kills the program. A PROGRAM runs
// behind the filter in place of this one.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapsmith/heapsmith.h"

// Without the preload they do not exist.
#pragma weak hs_heap_create
#pragma weak hs_heap_malloc
#pragma weak hs_heap_destroy
#pragma weak hs_thread_purge
#pragma weak hs_prefault
#pragma weak hs_purge
#pragma weak hs_set_limit
#pragma weak hs_stats

extern void* __libc_memalign(size_t align, size_t bytes);

enum { MiB = 1 << 20, most_statements = 2000 };
enum { refused = 31, wrong = 32, no_filters = 77 };

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) say("not so, line ", __LINE__), _exit(wrong);                                \
  } while (0)

/* Formats without the heap and without stdio. */
static void say(const char* what, long number) {
  char text[100], digits[20];
  size_t n = strlen(what), d = 0;
  memcpy(text, what, n);
  do digits[d++] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  while (d != 0) text[n++] = digits[--d];
  text[n++] = '\n';
  if (write(STDOUT_FILENO, text, n) < 0) _exit(wrong);
}

static void name_refused(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  say("refused ", info->si_syscall);
  _exit(refused);
}

static struct sock_filter code[most_statements];
static unsigned short length;

static void add(struct sock_filter statement) {
  REQUIRE(length < most_statements);
  code[length++] = statement;
}

static void load(size_t offset) {
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* Skips so many statements unless the loaded word is this. */
static void unless(unsigned long value, unsigned char skipped) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)value, 0, skipped));
}

static void add_allowed(char** at) {
  const unsigned long number = strtoul(*at, at, 10);
  unsigned long arguments[6], values[6];
  unsigned char n = 0;
  while (**at == ':') {
    arguments[n] = strtoul(*at + 1, at, 10);
    values[n++] = strtoul(*at + 1, at, 10);
  }
  unless(number, (unsigned char)(2 * n + 1));
  for (unsigned char i = 0; i < n; ++i) {
    load(offsetof(struct seccomp_data, args) + 8 * arguments[i]);
    unless(values[i], (unsigned char)(2 * (n - i - 1) + 1));
  }
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  if (n != 0) load(offsetof(struct seccomp_data, nr));
}

static void lock_in(char* calls, unsigned otherwise) {
  load(offsetof(struct seccomp_data, nr));
  for (char* at = calls; *at != '\0'; at += *at == ',') add_allowed(&at);
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise));
  const struct sock_fprog program = {length, code};
  const struct sigaction action = {.sa_sigaction = name_refused, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(no_filters);
}

static void* block(size_t bytes) {
  unsigned char* p = malloc(bytes);
  REQUIRE(p != NULL);
  p[0] = p[bytes - 1] = 1;
  return p;
}

static void work_with_small(void) {
  enum { n = 20000 };
  static void* blocks[n];
  for (int i = 0; i < n; ++i) blocks[i] = block(1 + (size_t)i * 7919 % 9000);
  for (int i = 0; i < n; i += 2) REQUIRE((blocks[i] = realloc(blocks[i], 20000)) != NULL);
  for (int i = 0; i < n; ++i) free(blocks[i]);
}

/* Tables that are filled, held and freed, and sparse ones. */
static void work_with_tables(void) {
  void* held[6];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 6; ++i) {
      REQUIRE((held[i] = calloc(3, MiB)) != NULL);
      memset(held[i], 1, 3 * MiB);
    }
    for (int i = 0; i < 6; ++i) free(held[i]);
  }
  for (int i = 0; i < 12; ++i) {
    void* volatile sparse = calloc(2, MiB);
    REQUIRE(sparse != NULL);
    free(sparse);
  }
  void* aligned;
  REQUIRE(posix_memalign(&aligned, 2 * MiB, 3 * MiB) == 0);
  free(aligned);
}

static void work_with_maps(void) {
  char* p = block(40 * MiB);
  free(block(100 * MiB));
  p = realloc(p, 36 * MiB);
  REQUIRE(p != NULL);
  free(p);
}

/* Grows them: glibc's malloc, too, then calls mremap(). */
static void grow_maps(void) {
  char* p = block(40 * MiB);
  REQUIRE((p = realloc(p, 90 * MiB)) != NULL && p[0] == 1);
  memset(p, 1, 90 * MiB);
  REQUIRE((p = realloc(p, 3 * MiB)) != NULL && p[0] == 1);
  free(p);
}

static void refuse(void) {
  errno = 0;
  void* volatile p = malloc((size_t)1 << 46);
  REQUIRE(p == NULL && errno == ENOMEM);
}

static void purge(void) {
  malloc_trim(0);
  REQUIRE(mallinfo2().arena < 1000 * (size_t)MiB);
  if (hs_purge == NULL) return;
  hs_thread_purge();
  hs_purge();
  hs_statistics s;
  s.size = sizeof s;
  REQUIRE(hs_stats(&s) == 0);
}

static void work_with_heaps(void) {
  if (hs_heap_create == NULL) return;
  hs_heap* heap = hs_heap_create();
  REQUIRE(heap != NULL);
  for (int i = 1; i < 3000; ++i) REQUIRE(hs_heap_malloc(heap, (size_t)i * 20) != NULL);
  REQUIRE(hs_heap_malloc(heap, 40 * MiB) != NULL);
  hs_heap_destroy(heap);
  hs_set_limit((size_t)2000 * MiB);
  free(block(34 * MiB));
  hs_set_limit(0);
}

/* A block of libc's that begins at an OS page: it might be a direct map that was freed before. */
static void end_foreign_blocks(void) {
  for (int i = 0; i < 4; ++i) {
    void* volatile foreign = __libc_memalign(4096, 5000);
    REQUIRE(foreign != NULL);
    if (hs_purge != NULL) free(foreign);
  }
}

static void* work_in_thread(void* unused) {
  for (int i = 0; i < 200; ++i) free(block(100 + (size_t)i * 700));
  work_with_tables();
  return unused;
}

static void work_in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_create(&threads[i], NULL, work_in_thread, NULL) == 0);
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);
}

static void work_in_child(void) {
  void* mine = block(50 * MiB);
  const pid_t child = fork();
  if (child == 0) {
    free(mine);
    work_with_small();
    free(block(60 * MiB));
    _exit(0);
  }
  int status = 0;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  free(mine);
}

/* Until nothing is left of what the limit allows, and again. */
static void exhaust(void) {
  enum { most = 20000 };
  static void* blocks[most];
  for (int round = 0; round < 2; ++round) {
    int n = 0;
    while (n < most && (blocks[n] = malloc(round == 0 ? 200000 : 33 * MiB)) != NULL) ++n;
    REQUIRE(n > 2 && n < most);
    while (n > 0) free(blocks[--n]);
  }
}

static void prefault(void) {
  if (hs_prefault != NULL) REQUIRE(hs_prefault(8 * MiB) == 0);
}

/* Long enough for a thread of the heap's own to look. */
static void wait_for_purger(void) {
  free(block(20 * MiB));
  usleep(300 * 1000);
  free(block(1000));
}

static void end_by_signal(void) {
  raise(SIGTERM);
  REQUIRE(!"the process goes on");
}

static const struct {
  const char* name;
  void (*work)(void);
} pieces[] = {{"small", work_with_small},   {"tables", work_with_tables},
              {"maps", work_with_maps},     {"grow", grow_maps},
              {"refuse", refuse},           {"purge", purge},
              {"heaps", work_with_heaps},   {"foreign", end_foreign_blocks},
              {"threads", work_in_threads}, {"fork", work_in_child},
              {"exhaust", exhaust},         {"prefault", prefault},
              {"purger", wait_for_purger},  {"terminate", end_by_signal}};

static void work(const char* what) {
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i)
    if (strstr(what, pieces[i].name) != NULL) pieces[i].work();
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  if (strstr(argv[2], "exhaust") != NULL && strcmp(argv[1], "within") != 0) {
    const struct rlimit limit = {1500UL * MiB, 1500UL * MiB};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (strcmp(argv[1], "behind") == 0) {
    lock_in(argv[3], SECCOMP_RET_KILL_PROCESS);
    char* const again[] = {argv[0], "within", argv[2], "", NULL};
    execvp(argc > 4 ? argv[4] : argv[0], argc > 4 ? argv + 4 : again);
    return wrong;
  }
  if (strcmp(argv[1], "warm") == 0) work(argv[2]);
  if (strcmp(argv[1], "within") != 0) lock_in(argv[3], SECCOMP_RET_TRAP);
  for (int round = 0; round < 2; ++round) work(argv[2]);
  if (write(STDOUT_FILENO, "ok\n", 3) != 3) return wrong;
  return 0;
}
