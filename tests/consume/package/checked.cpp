// A program with checks aborts on a misuse that it does not notice without them.
#include <heapsmith/pool_resource.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

int main() {
  const pid_t child = fork();
  if (child == 0) {
    heapsmith::unsynchronized_pool<> pool;
    void* const p = pool.allocate(48);
    pool.deallocate(p, 48);
    pool.deallocate(p, 48);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) return 0;
  std::puts("the second free was not noticed");
  return 1;
}
