// Forks a process whose other threads are in malloc and free: fork_threads fork|_Fork|clone COUNT.
//
// Each child allocates and frees at once, blocks of its own and inherited ones, its parent thread's
// and those of threads it does not have; some fork again. A child that hangs is ended by its alarm.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "churn.h"

enum { inherited_blocks = 60 };
static void* inherited[inherited_blocks];

static pid_t by_clone(void) {
  return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static pid_t (*fork_somehow)(void);

static void await(pid_t child) {
  int status;
  REQUIRE(child > 0);
  while (waitpid(child, &status, 0) < 0) REQUIRE(errno == EINTR);
  REQUIRE(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) /* the child hangs */);
  REQUIRE(status == 0);
}

// Uses the heap as the child finds it.
static void use(int number) {
  alarm(20);
  uint64_t state = (uint64_t)number * 2654435761u + 1;
  // Threads begin with different operations: a large block, a free of a thread's block, a small
  // block.
  if (number % 3 == 0) end_block(new_block(100000));
  if (number % 3 == 1) free_slots();
  for (int i = 0; i < inherited_blocks; i += 2) {
    end_block(inherited[i]);
    inherited[i] = new_block(some_size(&state));
  }
  free_slots();
  for (int i = 0; i < 50; ++i) churn_once(&state);
  for (int i = 0; i < inherited_blocks; ++i) check_block(inherited[i]);
}

// The child's heap is whole: what is freed is used again, whatever its size.
static void require_reuse(void) {
  const long before = resident_kib();
  for (int i = 0; i < 100; ++i) {
    static const size_t sizes[] = {300, 20000, 100000, 400000};
    for (int k = 0; k < 4; ++k) free(memset(new_block(sizes[k]), 1, sizes[k]));
  }
  REQUIRE(resident_kib() - before < 8 << 10);
}

static void end_as_child(void) {
  if (getpid() % 8 == 0) require_reuse();
  for (int i = 0; i < inherited_blocks; ++i) end_block(inherited[i]);
  free_slots();
  _exit(0);
}

static void live_as_child(int number) {
  use(number);
  if (number % 4 == 0) {
    const pid_t grandchild = fork_somehow();
    if (grandchild == 0) {
      use(number + 1);
      end_as_child();
    }
    await(grandchild);
  }
  end_as_child();
}

int main(int argc, char** argv) {
  REQUIRE(argc == 3);
  fork_somehow = strcmp(argv[1], "fork") == 0    ? fork
                 : strcmp(argv[1], "_Fork") == 0 ? _Fork
                                                 : by_clone;
  uint64_t state = 1;
  for (int i = 0; i < inherited_blocks; ++i) inherited[i] = new_block(some_size(&state));
  start_churning(churn_threads);
  for (int n = 0, count = atoi(argv[2]); n < count; ++n) {
    for (int i = 0; i < 5; ++i) churn_once(&state);  // this thread's heap is in use as well
    const pid_t child = fork_somehow();
    if (child == 0) live_as_child(n);
    await(child);
  }
  stop_churning(churn_threads);
  for (int i = 0; i < inherited_blocks; ++i) end_block(inherited[i]);
  return 0;
}
