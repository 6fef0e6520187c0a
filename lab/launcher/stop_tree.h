// Ends the measured program together with every process it has started.
#ifndef HEAPSMITH_LAB_STOP_TREE_H
#define HEAPSMITH_LAB_STOP_TREE_H

#include <sys/resource.h>
#include <sys/types.h>

// How the measured child ended.
struct child_end {
  int ended;
  int status;
  struct rusage usage;
};

// Reaps all ended processes without waiting. Records the end of `child` in *end.
void reap_ended(pid_t child, struct child_end* end);

// Sends SIGTERM to `child` and waits a second, then kills it and its descendants and reaps them.
// The caller must be a child subreaper, so that orphans of the program become its children.
void stop_tree(pid_t child, struct child_end* end);

#endif
