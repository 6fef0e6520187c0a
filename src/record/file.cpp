// Begins and ends the file of this process: one thread at a time, and again after a fork.
#include "record/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "record/clock.hpp"
#include "record/confine.hpp"
#include "record/file_parts.hpp"
#include "record/modules.hpp"
#include "record/pool.hpp"
#include "record/reserve.hpp"

namespace heapsmith::recorder {
namespace {

constinit file_header* current = nullptr;
constinit pid_t owner = 0;          // of `current`, whose bytes are gone once it was packed
constinit std::uint32_t files = 0;  // that this process and its parents have opened
/// The process that is opening a file, or 0. A child that was forked meanwhile has another number.
constinit atomic<std::int32_t> opener{0};
/// The last process that found no way to record.
constinit atomic<std::int32_t> gave_up{0};

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
  if (is_forked) forget_parent();
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
    name_parent(*made, *parents, parents_path);
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
  if (current != nullptr) note_clocks_again(tick_now());
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

void note_module_of(std::uintptr_t caller) {
  maps_room none = {};
  if (!is_in_noted_module(caller)) note_all_modules(path, none, tick_now());
}

}  // namespace heapsmith::recorder
