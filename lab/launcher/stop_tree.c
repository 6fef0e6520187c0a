// Ends the measured program together with every process it has started.
#include "stop_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { grace_steps = 100, grace_step_ms = 10 };

void reap_ended(pid_t child, struct child_end* end) {
  int status = 0;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    if (pid == child) {
      end->ended = 1;
      end->status = status;
      end->usage = usage;
    }
  }
}

// The parent's id from /proc/PID/stat: the second field after the last ')' of the name.
static pid_t parent_of(const char* pid) {
  char path[64];
  char text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return -1;
  text[length] = '\0';
  char* after_name = strrchr(text, ')');
  int parent = -1;
  if (after_name == NULL || sscanf(after_name + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

static void kill_own_children(void) {
  DIR* proc = opendir("/proc");
  if (proc == NULL) return;
  pid_t self = getpid();
  struct dirent* entry;
  while ((entry = readdir(proc)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self) {
      kill((pid_t)atoi(entry->d_name), SIGKILL);
    }
  }
  closedir(proc);
}

static void pause_ms(long ms) {
  struct timespec span = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&span, NULL);
}

void stop_tree(pid_t child, struct child_end* end) {
  if (!end->ended) kill(child, SIGTERM);
  for (int step = 0; step < grace_steps && !end->ended; ++step) {
    pause_ms(grace_step_ms);
    reap_ended(child, end);
  }
  if (!end->ended) kill(child, SIGKILL);
  // Each pass kills one generation. Its orphans are children of this process by the next pass. The
  // number of passes is bounded, since a process may stay in an uninterruptible sleep.
  for (int pass = 0; pass < grace_steps; ++pass) {
    kill_own_children();
    reap_ended(child, end);
    if (waitpid(-1, NULL, WNOHANG | WNOWAIT) < 0 && errno == ECHILD) return;
    pause_ms(grace_step_ms);
  }
}
