// Runs a piece of a test in a forked child, which says by its exit code whether all was well.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace heapsmith::test {

/// The exit code of `body`'s result as seen by the parent; -1 when the child died of a signal.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace heapsmith::test
