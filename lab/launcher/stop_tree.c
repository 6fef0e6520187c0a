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
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { grace_steps = 100, leftover_steps = 10, grace_step_ms = 10, max_told = 256 };

static void add_usage(struct rusage* total, const struct rusage* one) {
  timeradd(&total->ru_utime, &one->ru_utime, &total->ru_utime);
  timeradd(&total->ru_stime, &one->ru_stime, &total->ru_stime);
  if (one->ru_maxrss > total->ru_maxrss) total->ru_maxrss = one->ru_maxrss;
  total->ru_minflt += one->ru_minflt;
  total->ru_majflt += one->ru_majflt;
}

void reap_ended(pid_t child, struct tree_end* end) {
  int status = 0;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    add_usage(&end->usage, &usage);
    if (pid == child) {
      end->ended = 1;
      end->status = status;
    }
  }
}

static int has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
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

// Writes the ids of this process's children to `found` and returns their number, at most `limit`.
static int own_children(pid_t* found, int limit) {
  DIR* proc = opendir("/proc");
  if (proc == NULL) return 0;
  pid_t self = getpid();
  int count = 0;
  struct dirent* entry;
  while (count < limit && (entry = readdir(proc)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self) {
      found[count++] = (pid_t)atoi(entry->d_name);
    }
  }
  closedir(proc);
  return count;
}

static int kill_own_children(void) {
  pid_t found[max_told];
  int count = own_children(found, max_told);
  for (int i = 0; i < count; ++i) kill(found[i], SIGKILL);
  return count;
}

static void pause_ms(long ms) {
  struct timespec span = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&span, NULL);
}

int signal_orphans(int signal) {
  static pid_t told[max_told];
  static int told_count = 0;
  if (!has_children()) return 0;
  pid_t found[max_told];
  int count = own_children(found, max_told);
  for (int i = 0; i < count; ++i) {
    int known = 0;
    for (int k = 0; k < told_count; ++k) known |= told[k] == found[i];
    if (known || told_count == max_told) continue;
    told[told_count++] = found[i];
    kill(found[i], signal);
  }
  return 1;
}

// Each pass kills one generation. Its orphans are children of this process by the next pass. The
// number of passes is bounded, since a process may stay in an uninterruptible sleep.
static int kill_descendants(pid_t child, struct tree_end* end) {
  int first = 0;
  for (int pass = 0; pass < grace_steps && has_children(); ++pass) {
    int killed = kill_own_children();
    if (pass == 0) first = killed;
    pause_ms(pass == 0 ? 1 : grace_step_ms);
    reap_ended(child, end);
  }
  return first;
}

int end_leftovers(struct tree_end* end) {
  for (int step = 0; step < leftover_steps && has_children(); ++step) {
    pause_ms(grace_step_ms);
    reap_ended(0, end);
  }
  return kill_descendants(0, end);
}

void stop_tree(pid_t child, struct tree_end* end) {
  if (!end->ended) kill(child, SIGTERM);
  for (int step = 0; step < grace_steps && !end->ended; ++step) {
    pause_ms(grace_step_ms);
    reap_ended(child, end);
  }
  kill_descendants(child, end);
}
