// Runs a test in a process whose environment was set before it began: the heap reads it at its
// start.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace heapsmith::test {

/// True in a process that was started with `name` set to `value`. Elsewhere the calling test is run
/// again in such a process, must pass there, and has nothing more to do here: false.
inline bool started_with(const char* name, const char* value) {
  if (const char* now = getenv(name); now != nullptr && strcmp(now, value) == 0) return true;
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  const pid_t child = fork();
  if (child == 0) {
    setenv(name, value, 1);
    execl("/proc/self/exe", "again", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the test failed with " << name << '=' << value;
  return false;
}

}  // namespace heapsmith::test
