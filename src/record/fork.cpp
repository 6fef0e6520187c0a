// The child of a recorded process leaves its parent's file, and is noted there if it makes none.
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "record/clock.hpp"
#include "record/confine.hpp"
#include "record/file.hpp"
#include "record/file_parts.hpp"
#include "record/notes.hpp"
#include "record/reserve.hpp"

namespace heapsmith::recorder {
namespace {

constinit bool watches_forks = false;

/// Effects: gives a process that cannot ask for its command that of its parent.
void copy_command(const file_header& from, file_header& to) {
  memcpy(to.executable, from.executable, sizeof to.executable);
  memcpy(to.command, from.command, sizeof to.command);
  to.command_bytes = from.command_bytes;
}

}  // namespace

constinit std::uint64_t fork_tick = 0;

void note_fork(std::uint64_t tick) {
  // A process without a file of its own has called nothing yet. Its child has the same blocks as
  // it: those that the owner of `path` had when that forked.
  if (mark.file.load(relaxed) != 0) fork_tick = tick;  // relaxed: asks about this process alone
}

void watch_forks() {
  if (watches_forks) return;
  watches_forks = true;
  madvise(&mark, sizeof mark, MADV_WIPEONFORK);  // the handler below does it where this fails
  const auto before = [] {
    note_fork(tick_now());
    stamp_next_event();  // no later event has an earlier time
  };
  const auto in_child = [] {
    mark.file.store(0, relaxed);  // relaxed: the child has one thread
    ask_for_a_block_again();
  };
  const auto in_parent = [] { note_fork(0); };
  pthread_atfork(before, in_parent, in_child);
}

void forget_parent() {
  forget_kernel_calls();
  forget_reserve();
}

void note_lost_child(file_header& parents, int pid, int error) {
  parents.lost_children.fetch_add(1, relaxed);  // relaxed: a number of its own
  char program[256];
  const ssize_t n = is_confined_to(confinement::filtered)
                        ? 0
                        : readlink("/proc/self/exe", program, sizeof program - 1);
  program[n < 0 ? 0 : n] = 0;
  note_process(&parents, lack::no_file, static_cast<std::uint32_t>(pid),
               static_cast<std::uint32_t>(error), program);
}

void name_parent(file_header& child, const file_header& parents, const char* parents_path) {
  if (child.command_bytes == 0) copy_command(parents, child);
  const char* name = strrchr(parents_path, '/');
  snprintf(child.parent_file, sizeof child.parent_file, "%s", name + 1);
}

}  // namespace heapsmith::recorder
