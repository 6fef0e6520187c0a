// Another library's fork handlers allocate: before the fork, in the parent and in the child; those
// registered before the heap's own, which then run while it holds its locks, and those after.
#include <signal.h>
#include <sys/wait.h>

#include "churn.h"

enum { handler_blocks = 16, forks = 200 };
static void* held[handler_blocks];
static uint64_t handler_state = 7;
static int handlers_run;

static void allocate_in_handler(void) {
  ++handlers_run;
  for (int i = 0; i < handler_blocks; ++i) {
    end_block(held[i]);
    held[i] = new_block(some_size(&handler_state));
  }
}

static void register_handlers(void) {
  REQUIRE(pthread_atfork(allocate_in_handler, allocate_in_handler, allocate_in_handler) == 0);
}

#ifndef HAZARD_HS_NAMES
/* Before every constructor of the process. */
static void register_early(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  register_handlers();
}
__attribute__((section(".preinit_array"), used)) static void (*early)(int, char**,
                                                                      char**) = register_early;
#endif

int main(void) {
#ifdef HAZARD_HS_NAMES
  register_handlers();  // nothing has called the heap yet
#endif
  alarm(60);
  free(new_block(100));
  register_handlers();
  start_churning(churn_threads);
  for (int n = 0; n < forks; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      free_slots();
      for (int i = 0; i < handler_blocks; ++i) end_block(held[i]);
      _exit(handlers_run == 4 * (n + 1) ? 0 : 2);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  }
  stop_churning(churn_threads);
  return handlers_run == 4 * forks ? 0 : 2;
}
