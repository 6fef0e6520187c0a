// Ends the measured program together with every process it has started.
#ifndef HEAPSMITH_LAB_STOP_TREE_H
#define HEAPSMITH_LAB_STOP_TREE_H

#include <sys/resource.h>
#include <sys/types.h>

// How the measured child ended, and what it and its descendants have used.
struct tree_end {
  int ended;
  int status;
  struct rusage usage;
};

// All functions require that the caller is a child subreaper: orphans of the program become its
// children.

// Reaps all ended processes without waiting. Adds their usage to *end, and records the end of
// `child` there.
void reap_ended(pid_t child, struct tree_end* end);

// Sends `signal` to the children that have not received it from here. Returns whether there are
// children.
int signal_orphans(int signal);

// Gives the processes that an ended program left running a tenth of a second, then kills and reaps
// them. Returns the number of processes that it killed first.
int end_leftovers(struct tree_end* end);

// Sends SIGTERM to `child` and waits a second, then kills it and its descendants and reaps them.
void stop_tree(pid_t child, struct tree_end* end);

#endif
