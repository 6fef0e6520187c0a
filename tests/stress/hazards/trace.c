// Recordings that begin and end while threads allocate and children are forked: trace.c absent, or
// trace.c switch FOLDER COUNT.
#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "churn.h"
#include "heapsmith/heapsmith.h"

// In every library but libheapsmith_trace.so, the two functions do nothing and say so.
static void absent(void) {
  REQUIRE(hs_trace_start("/tmp") == ENOSYS);
  REQUIRE(hs_trace_start("/no/such/folder") == ENOSYS && hs_trace_start(NULL) == ENOSYS);
  REQUIRE(hs_trace_stop() == ENOSYS);
}

static int raw_files(const char* folder) {
  int n = 0;
  DIR* all = opendir(folder);
  REQUIRE(all != NULL);
  for (struct dirent* each; (each = readdir(all)) != NULL;) {
    const size_t length = strlen(each->d_name);
    n += length > 4 && strcmp(each->d_name + length - 4, ".raw") == 0;
  }
  closedir(all);
  return n;
}

static void switch_on_and_off(const char* folder, int count) {
  REQUIRE(hs_trace_stop() == EALREADY);
  int children = 0;
  for (int i = 0; i < count; ++i) {
    REQUIRE(hs_trace_start(folder) == 0);
    if (i % 4 == 0) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        end_block(new_block(1000));
        _exit(hs_trace_stop() == 0 && hs_trace_stop() == EALREADY ? 0 : 1);
      }
      int status = -1;
      REQUIRE(waitpid(child, &status, 0) == child && status == 0);
      ++children;
    }
    end_block(new_block(100000));
    REQUIRE(hs_trace_start(folder) == EALREADY);
    REQUIRE(hs_trace_stop() == 0);
    end_block(new_block(1000));
    REQUIRE(hs_trace_stop() == EALREADY);
  }
  REQUIRE(raw_files(folder) == count + children);
}

int main(int count, char** arguments) {
  REQUIRE(count >= 2);
  if (strcmp(arguments[1], "absent") == 0) {
    absent();
    return 0;
  }
  REQUIRE(count == 4);
  start_churning(churn_threads);
  switch_on_and_off(arguments[2], atoi(arguments[3]));
  stop_churning(churn_threads);
  return 0;
}
