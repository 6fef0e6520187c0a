// The kernel refuses mremap, madvise, mincore, munmap or a look at limits with an error, for ever.
// report: none
// right: no refusal of these is a lack of memory
// fails: nobody else; jemalloc 5.3.0, mimalloc 2.0.9 and gperftools 2.10 pass
// under: preload override
#include <errno.h>
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

enum { MiB = 1 << 20, none = 77 };

static const unsigned calls[] = {SYS_mremap, SYS_madvise, SYS_mincore, SYS_munmap, SYS_prlimit64};
static const unsigned errors[] = {EPERM, EFAULT, ENOMEM};

static void refuse(unsigned call, unsigned error) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, 2, &program) != 0)
    _exit(none);
}

static char* checked(char* p, size_t bytes) {
  if (p == NULL) _exit(1);
  p[bytes - 1] = 1;
  return p;
}

static void work(void) {
  static const size_t sizes[] = {60, 3000, 40000, 700000, 3 * MiB, 33 * MiB, 50 * MiB};
  for (int round = 0; round < 2; ++round) {
    char* p = checked(malloc(20), 20);
    memcpy(p, "contents", 9);
    for (size_t i = 0; i < 7; ++i) p = checked(realloc(p, sizes[i]), sizes[i]);
    for (size_t i = 7; i-- > 0;) p = checked(realloc(p, sizes[i]), sizes[i]);
    if (strcmp(p, "contents") != 0) _exit(2);
    free(p);
    for (size_t i = 0; i < 7; ++i) {
      p = calloc(1, sizes[i]);
      if (p == NULL || p[0] != 0 || p[sizes[i] - 1] != 0) _exit(3);
      memset(p, 1, sizes[i] < MiB ? sizes[i] : MiB);
      free(p);
      void* aligned = NULL;
      if (posix_memalign(&aligned, 4096, sizes[i]) != 0) _exit(4);
      free(aligned);
    }
  }
}

int main(void) {
  for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
    for (size_t e = 0; e < sizeof errors / sizeof *errors; ++e) {
      const pid_t child = fork();
      if (child == 0) refuse(calls[c], errors[e]), work(), _exit(0);
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0 && status != none << 8)
        return printf("call %u, error %u: %d\n", calls[c], errors[e], status), 1;
    }
  puts("ok");
  return 0;
}
