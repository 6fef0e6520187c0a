// Ends the measured program together with every process it has started.
#ifndef HEAPSMITH_LAB_STOP_TREE_H
#define HEAPSMITH_LAB_STOP_TREE_H

#include <sys/resource.h>
#include <sys/types.h>

// What is known of the measured child once it has ended.
struct child_end {
  int ended;
  int status;
  struct rusage usage;
};

// Reaps whatever has ended without waiting; remembers the end of `child`.
void reap_ended(pid_t child, struct child_end* end);

// Asks `child` to end, gives it a second, then kills it and all its descendants, and reaps them.
// The caller is a child subreaper: orphans of the program become children of the caller.
void stop_tree(pid_t child, struct child_end* end);

#endif
