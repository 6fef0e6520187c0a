// A program that installs a filter of system calls goes on, and none of its calls is lost.
// report: google/tcmalloc#81, firecracker-microvm/firecracker#982
// right: behind a filter of the calls of glibc's malloc, it allocates and ends by itself
// fails: not measured
// under: recorder
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* volatile kept[2000];

static void work(void) {
  for (int i = 0; i < 2000; ++i) kept[i] = malloc(1 + (size_t)i * 7919 % 9000);
  for (int i = 0; i < 2000; i += 2) kept[i] = realloc(kept[i], 20000);
  for (int i = 0; i < 2000; ++i) free(kept[i]);
  void* large = calloc(1, 40 << 20);
  memset(large, 1, 40 << 20);
  free(realloc(large, 90 << 20));
}

int main(void) {
  static const int allowed[] = {SYS_brk,      SYS_mmap,  SYS_munmap, SYS_mremap,    SYS_madvise,
                                SYS_mprotect, SYS_futex, SYS_write,  SYS_exit_group};
  enum { n = sizeof allowed / sizeof *allowed };
  static struct sock_filter steps[2 * n + 2];
  int at = 0;
  free(malloc(10));
  setvbuf(stdout, NULL, _IONBF, 0);
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
  for (int i = 0; i < n; ++i) {
    steps[at++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  steps[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const struct sock_fprog program = {(unsigned short)at, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return puts("this kernel has no filters"), 1;
  for (int i = 0; i < 3; ++i) work();
  puts("ok");
  _exit(0);
}
