// Begins and ends the file of this process, and makes another one after a fork.
#include "record/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "record/clock.hpp"
#include "record/confine.hpp"
#include "record/file_parts.hpp"
#include "record/modules.hpp"
#include "record/notes.hpp"
#include "record/pool.hpp"
#include "record/reserve.hpp"

namespace heapsmith::recorder {
namespace {

constinit char directory[2048] = {};  // "": nothing is recorded
constinit file_header* current = nullptr;
constinit pid_t owner = 0;  // of `current`, whose bytes are gone once it was packed
constinit bool watches_forks = false;
constinit atomic<std::uint64_t> next_note{0};  // a tick
constinit std::uint64_t fork_tick = 0;
constinit std::uint32_t files = 0;  // that this process and its parents have opened
/// The process that is opening a file, or 0. A child that was forked meanwhile has another number.
constinit atomic<std::int32_t> opener{0};
/// The last process that found no way to record.
constinit atomic<std::int32_t> gave_up{0};

constexpr std::uint64_t ticks_a_note = std::uint64_t{1} << 19;  // 8 to 17 ms
constexpr std::size_t most_environment = 4 * 1024 * 1024;
constexpr char variable[] = "HEAPSMITH_RECORD_DIR=";

/// Effects: reads the variable from the kernel, because libc may not have its own list yet.
/// Complexity: linear in the environment, up to most_environment bytes.
void find_directory() {
  if (getauxval(AT_SECURE) != 0) return;  // the variable may come from another user
  const int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char buffer[4096];
  std::size_t matched = 0, copied = 0;
  bool skips = false, copies = false;
  for (std::size_t total = 0; total < most_environment;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    total += static_cast<std::size_t>(n);
    for (ssize_t i = 0; i < n; ++i) {
      const char c = buffer[i];
      if (copies) {
        if (copied + 1 < sizeof directory) directory[copied++] = c;
        if (c == 0) goto done;
      } else if (c == 0) {
        matched = 0;
        skips = false;
      } else if (!skips) {
        skips = c != variable[matched];
        copies = !skips && ++matched == sizeof variable - 1;
      }
    }
  }
done:
  close(fd);
  directory[copied] = 0;
  if (directory[0] != '/') directory[0] = 0;  // the program may change its directory
}

/// Effects: has the kernel clear the mark in forked processes, also if they come from clone().
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

/// Effects: in a forked process, leaves what belongs to the parent.
void forget_parents_state() {
  forget_kernel_calls();
  forget_reserve();
}

/// Effects: as this process can make no file, its parent's file says so.
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

/// Effects: gives a process that cannot ask for its command that of its parent.
void copy_command(const file_header& from, file_header& to) {
  memcpy(to.executable, from.executable, sizeof to.executable);
  memcpy(to.command, from.command, sizeof to.command);
  to.command_bytes = from.command_bytes;
}

bool open_file_here() {
  file_header* const parents = current;
  char parents_path[sizeof path];
  memcpy(parents_path, path, sizeof path);
  const int pid = getpid();
  // Of this process, if it records again. Another thread may still count in that header.
  const bool is_forked = parents != nullptr && owner != pid;
  if (parents == nullptr && directory[0] == 0) find_directory();
  if (directory[0] == 0) return false;
  watch_forks();
  if (is_forked) forget_parents_state();
  errno = ENOENT;
  if (is_forked && was_packed(*parents)) return false;
  errno = EPERM;  // of a process behind a filter
  file_header* made =
      is_confined_to(confinement::jailed) ? nullptr : make_file(directory, pid, fork_tick);
  const int error = errno;
  if (made == nullptr && !is_confined_to(confinement::filtered))
    made = make_segment(directory, pid, fork_tick);
  if (made == nullptr) {
    if (is_forked) note_lost_child(*parents, pid, error);
    errno = error;
    return false;
  }
  if (is_forked) {
    is_alone.store(true, relaxed);  // relaxed: the child has one thread
    if (made->command_bytes == 0) copy_command(*parents, *made);
    const char* name = strrchr(parents_path, '/');
    snprintf(made->parent_file, sizeof made->parent_file, "%s", name + 1);
    munmap(parents, block_bytes);
  }
  forget_last_file();
  current = made;
  owner = pid;
  fork_tick = 0;  // a child that is not made by fork() shall not take it for its own
  maps_room none = {};
  note_all_modules(path, none, made->first_tick);
  return true;
}

/// Effects: waits until no other thread of this process begins or ends a recording, and has others
/// wait. Complexity: another thread makes some ten calls of the kernel.
void become_opener(std::int32_t me) {
  for (;;) {
    std::int32_t other = opener.load(relaxed);
    // acquire pairs with the releases: what an earlier opener wrote is seen.
    if (other != me && opener.compare_exchange_strong(other, me, acquire, relaxed)) return;
    if (other == me) sched_yield();
  }
}

bool open_as_opener(std::int32_t me) {
  const bool is_open = open_file_here();
  if (is_open)
    mark.file.store(++files, release);  // pairs with open_file()
  else
    gave_up.store(me, relaxed);  // relaxed: see open_file()
  return is_open;
}

}  // namespace

constinit char path[path_bytes] = {};
constinit fork_mark mark = {};
constinit atomic<bool> is_alone{true};
constinit atomic<std::uint64_t> made_up{0};

bool open_file() {
  const std::int32_t me = getpid();
  // relaxed: a thread that misses the note tries once more itself.
  if (mark.is_stopped.load(relaxed) != 0 || gave_up.load(relaxed) == me) return false;
  // acquire pairs with the release store in open_as_opener(): `current` is the new header. With
  // relaxed, another thread could still use that of the parent.
  if (mark.file.load(acquire) != 0) return true;
  become_opener(me);
  // relaxed, all: what another opener or stop() wrote was seen with `opener`.
  bool is_open = mark.file.load(relaxed) != 0;
  if (!is_open && mark.is_stopped.load(relaxed) == 0 && gave_up.load(relaxed) != me)
    is_open = open_as_opener(me);
  opener.store(0, release);
  return is_open;
}

file_header& header() {
  return *current;
}

file_header* header_or_none() {
  return current;
}

void prepare_for(confinement to) {
  if (is_confined_to(to)) return;
  const std::int32_t me = getpid();
  become_opener(me);
  // relaxed, all: as in open_file(). A child that has no file yet gets one while it can.
  const bool is_wanted = mark.is_stopped.load(relaxed) == 0 && gave_up.load(relaxed) != me;
  if (mark.file.load(relaxed) == 0 && is_wanted) open_as_opener(me);
  if (directory[0] != 0 && to == confinement::jailed) open_pool(directory);
  // A process between vfork() and exec has its parent's memory, and is not confined with it.
  if (current != nullptr && owner == me && mark.file.load(relaxed) != 0) {
    const bool can_open = !is_confined_to(confinement::jailed);
    const int fd = can_open ? open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (fd >= 0 || !can_open) make_reserve(*current, fd, to);
    if (fd >= 0) close(fd);
    current->confined.store(static_cast<std::uint32_t>(to), relaxed);
    become_confined(to);
  }
  opener.store(0, release);
}

bool start_in(const char* where) {
  const std::size_t length = strlen(where);
  if (length >= sizeof directory) {
    errno = ENAMETOOLONG;
    return false;
  }
  const std::int32_t me = getpid();
  look_for_filter();
  become_opener(me);
  memcpy(directory, where, length + 1);
  fork_tick = 0;
  // relaxed, all: only threads that record look at them
  is_alone.store(false, relaxed);  // threads that have begun before are unknown
  gave_up.store(0, relaxed);
  mark.is_stopped.store(0, relaxed);
  const bool is_open = open_as_opener(me);
  opener.store(0, release);
  return is_open;
}

void stop() {
  become_opener(is_confined_to(confinement::filtered) ? owner : getpid());
  if (current != nullptr) {
    next_note.store(0, relaxed);  // relaxed: a number of its own
    note_clocks(tick_now());
  }
  // relaxed: a thread that misses it writes one event more. This order: no thread opens a file.
  mark.is_stopped.store(1, relaxed);
  mark.file.store(0, relaxed);
  directory[0] = 0;
  opener.store(0, release);
}

bool is_recording() {
  // relaxed: the thread that attached the recorder before had been stopped by the same command
  return mark.file.load(relaxed) != 0 && access(path, F_OK) == 0;
}

void count_drop() {
  // relaxed: a number of its own. Before there is a file, nobody can be told.
  if (current != nullptr) current->dropped.fetch_add(1, relaxed);
}

bool note_clocks(std::uint64_t tick) {
  std::uint64_t due = next_note.load(relaxed);
  // relaxed: only the thread that moves the time on writes.
  if (tick < due || !next_note.compare_exchange_strong(due, tick + ticks_a_note, relaxed))
    return false;
  const kernel_calls calls;
  if (!calls.may_call()) return false;  // where the clock is a call of the kernel
  if (is_clock_stopped()) return true;
  current->last_tick = tick_now();
  current->last_ns = monotonic_ns();
  return true;
}

bool stop_clock() {
  if (is_clock_stopped()) return false;
  const std::uint64_t now = tick_now();
  if (current != nullptr) {
    next_note.store(0, relaxed);  // relaxed: as in stop()
    note_clocks(now);
    if (current->stopped_tick == 0) current->stopped_tick = now;
  }
  stamp_next_event();
  made_up.store(now, relaxed);  // relaxed: see is_clock_stopped()
  return true;
}

void resume_clock() {
  // relaxed, both: this thread is the only one
  if (is_alone.load(relaxed)) made_up.store(0, relaxed);
}

void note_fork(std::uint64_t tick) {
  // A process without a file of its own has called nothing yet. Its child has the same blocks as
  // it: those that the owner of `path` had when that forked.
  if (mark.file.load(relaxed) != 0) fork_tick = tick;  // relaxed: asks about this process alone
}

void note_module_of(std::uintptr_t caller) {
  maps_room none = {};
  if (!is_in_noted_module(caller)) note_all_modules(path, none, tick_now());
}

}  // namespace heapsmith::recorder
