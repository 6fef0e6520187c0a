// A program that forbids itself the processor's clock, for the tests of `heapsmith record`.
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* volatile kept;

// 3 * n events.
static void* work(void* n) {
  for (long i = 0; i < (long)n; ++i) {
    kept = malloc(16 + (size_t)i % 500);
    kept = realloc(kept, 700);
    free(kept);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  pthread_t t;
  int failed = 0;
  work((void*)1000);
  if (strcmp(mode, "strict") == 0) failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (strcmp(mode, "strict by number") == 0)
    failed = (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  if (strcmp(mode, "seccomp") == 0)
    failed = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
#if defined(__x86_64__)
  if (strcmp(mode, "by number") == 0)
    failed = (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
  else if (mode[0] != 's')
    failed = prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
  if (failed != 0) return 77;
  work((void*)20000);
  if (strcmp(mode, "again") == 0) {
    // No argument of it is known: the call fails, and the clock stays forbidden.
    if (prctl(PR_SET_TSC, 7) != -1) return 1;
    work((void*)20000);
    if (prctl(PR_SET_TSC, PR_TSC_ENABLE) != 0) return 1;
    usleep(300000);
    work((void*)20000);
  }
  if (strcmp(mode, "thread") == 0) {
    pthread_create(&t, NULL, work, (void*)20000);
    pthread_join(t, NULL);
    // That thread could have started others, which nobody allowed to read the clock again.
    if (prctl(PR_SET_TSC, PR_TSC_ENABLE) != 0) return 1;
    work((void*)20000);
  }
  if (strcmp(mode, "fork") == 0) {
    if (fork() == 0) {
      work((void*)20000);
      _exit(0);
    }
    int status = 0;
    if (wait(&status) < 0 || status != 0) return 1;
  }
  syscall(SYS_exit, 5);  // which the strict mode allows
}
