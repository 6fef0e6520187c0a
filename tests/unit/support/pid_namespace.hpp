// Processes that are the first of a PID namespace of their own, as in containers: all of them have
// number 1.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heapsmith::test {

class pid_namespace {
 public:
  pid_namespace() : own_(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC)) {
    const pid_t child = own_ < 0 ? -1 : fork_first();
    if (child == 0) _exit(getpid() == 1 ? 0 : 1);
    int status = -1;
    is_permitted_ = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  ~pid_namespace() {
    if (own_ >= 0) close(own_);
  }
  pid_namespace(const pid_namespace&) = delete;
  pid_namespace& operator=(const pid_namespace&) = delete;

  [[nodiscard]] bool is_permitted() const { return is_permitted_; }

  /// As fork; -1 if it is refused. The child has number 1.
  [[nodiscard]] pid_t fork_first() const {
    if (unshare(CLONE_NEWPID) != 0) return -1;
    const pid_t child = fork();
    // The next child of this process is one of its own namespace again.
    if (child != 0 && setns(own_, CLONE_NEWPID) != 0) return -1;
    return child;
  }

 private:
  int own_;
  bool is_permitted_ = false;
};

}  // namespace heapsmith::test
