// A program locks itself in with a filter for glibc's malloc, and then allocates.
// report: google/tcmalloc#81, firecracker-microvm/firecracker#982
// right: it is served as under glibc, whether or not it allocated before
// fails: mimalloc 2.0.9 is killed
// under: preload override
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(number)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

enum { MiB = 1 << 20, none = 77 };
static void* volatile sink;

static void lock_in(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_brk),
      ALLOW(SYS_mmap),
      ALLOW(SYS_munmap),
      ALLOW(SYS_mremap),
      ALLOW(SYS_madvise),
      ALLOW(SYS_mprotect),
      ALLOW(SYS_futex),
      ALLOW(SYS_getrandom),
      ALLOW(SYS_write),
      ALLOW(SYS_exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, 2, &program) != 0)
    _exit(none);
}

static void work(void) {
  static char* blocks[6000];
  for (int i = 0; i < 6000; ++i) *(blocks[i] = malloc((size_t)i * 7919 % 30000 + 1)) = 1;
  for (int i = 0; i < 6000; ++i) blocks[i] = realloc(blocks[i], 500);
  for (int i = 0; i < 6000; ++i) free(blocks[i]);
  char* tables[5];
  for (int i = 0; i < 5; ++i) memset(tables[i] = calloc(1, 2 * MiB), 1, 2 * MiB);
  for (int i = 0; i < 5; ++i) free(tables[i]);
  char* large = malloc(40 * MiB);
  large[5] = 7;
  large = realloc(large, 90 * MiB);
  if (large[5] != 7) _exit(1);
  free(large);
  if ((sink = malloc((size_t)1 << 47)) != NULL) _exit(1);  // refused
}

int main(void) {
  for (int warm = 0; warm < 2; ++warm) {
    const pid_t child = fork();
    if (child == 0 && warm) work();
    if (child == 0) lock_in(), work(), _exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    if (status == none << 8) break;  // the kernel has no filters
    if (status != 0) return printf("warm %d: status %d\n", warm, status), 1;
  }
  puts("ok");
  return 0;
}
