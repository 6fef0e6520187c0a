// Makes the file of this process, claims blocks from it, and makes another one after a fork. No
// descriptor stays open, so a program may close all of its own.
#include "watch/record/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "watch/record/clock.hpp"
#include "watch/record/modules.hpp"

namespace heapsmith::recorder {
namespace {

constinit char directory[2048] = {};  // "": nothing is recorded
constinit char path[2304] = {};
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

void read_command(file_header& h) {
  const ssize_t n = readlink("/proc/self/exe", h.executable, sizeof h.executable - 1);
  h.executable[n < 0 ? 0 : n] = 0;
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t bytes = read(fd, h.command, sizeof h.command);
  h.command_bytes = bytes < 0 ? 0 : static_cast<std::uint32_t>(bytes);
  close(fd);
}

/// Returns: whether the file may become large enough for a block. Errors: EFBIG.
bool may_reach(off_t at) {
  rlimit most;
  // The kernel would send a signal, which ends the program.
  if (getrlimit(RLIMIT_FSIZE, &most) != 0 || static_cast<rlim_t>(at) + block_bytes <= most.rlim_cur)
    return true;
  errno = EFBIG;
  return false;
}

off_t place_of(std::uint32_t index) {
  return static_cast<off_t>(index) * static_cast<off_t>(block_bytes);
}

/// Returns: the block mapped, or null with errno.
void* map_block(int fd, std::uint32_t index) {
  const off_t at = place_of(index);
  if (!may_reach(at)) return nullptr;
  // The bytes are reserved now: to touch a page that the disk cannot hold would end the program.
  if (const int error = posix_fallocate(fd, at, block_bytes); error != 0) {
    errno = error;
    return nullptr;
  }
  void* p = mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
  return p == MAP_FAILED ? nullptr : p;
}

/// Returns: the header of a new file, or null.
file_header* make_file() {
  const int pid = getpid();
  // A process that calls exec again and again makes a file each time.
  constexpr unsigned most_files = 10'000;
  int fd = -1;
  for (unsigned n = 0; n < most_files; ++n) {
    snprintf(path, sizeof path, "%s/%d.%u.raw", directory, pid, n);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd < 0) return nullptr;
  void* memory = map_block(fd, 0);
  close(fd);
  if (memory == nullptr) {
    unlink(path);
    return nullptr;
  }
  auto* h = new (memory) file_header{};
  h->version = file_version;
  h->bytes_a_block = block_bytes;
  h->bytes_a_page = static_cast<std::uint32_t>(sysconf(_SC_PAGESIZE));
  h->shift = tick_shift;
  h->pid = static_cast<std::uint32_t>(pid);
  h->parent_pid = static_cast<std::uint32_t>(getppid());
  h->first_tick = h->last_tick = tick_now();
  h->first_ns = h->last_ns = monotonic_ns();
  h->fork_tick = fork_tick;
  h->blocks.store(1, relaxed);  // relaxed: no other thread has the header yet
  read_command(*h);
  memcpy(h->magic, file_magic, sizeof h->magic);
  return h;
}

bool open_file_here() {
  file_header* const parents = current;
  char parents_path[sizeof path];
  memcpy(parents_path, path, sizeof path);
  // Of this process, if it records again. Another thread may still count in that header.
  const bool is_forked = parents != nullptr && owner != getpid();
  if (parents == nullptr && directory[0] == 0) find_directory();
  if (directory[0] == 0) return false;
  watch_forks();
  file_header* made = make_file();
  if (made == nullptr) {
    // relaxed: a number of its own
    if (is_forked) parents->lost_children.fetch_add(1, relaxed);
    return false;
  }
  if (is_forked) {
    is_alone.store(true, relaxed);  // relaxed: the child has one thread
    const char* name = strrchr(parents_path, '/');
    snprintf(made->parent_file, sizeof made->parent_file, "%s", name + 1);
    munmap(parents, block_bytes);
  }
  forget_last_file();
  current = made;
  owner = getpid();
  fork_tick = 0;  // a child that is not made by fork() shall not take it for its own
  note_all_modules(path, made->first_tick);
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

bool start_in(const char* where) {
  const std::size_t length = strlen(where);
  if (length >= sizeof directory) {
    errno = ENAMETOOLONG;
    return false;
  }
  const std::int32_t me = getpid();
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
  become_opener(getpid());
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

namespace {

/// Returns: a descriptor of the file, or -1. If somebody has packed it and removed the folder, the
/// recording ends.
int open_again() {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) stop();
  return fd;
}

}  // namespace

block_header* claim_block() {
  file_header& h = *current;
  // relaxed: only the thread that gets a number uses the block.
  const std::uint32_t index = h.blocks.fetch_add(1, relaxed);
  const int fd = open_again();
  void* memory = fd < 0 ? nullptr : map_block(fd, index);
  const int error = errno;
  if (fd >= 0) close(fd);
  if (memory == nullptr) {
    h.drop_errno.store(static_cast<std::uint32_t>(error), relaxed);  // relaxed: a number of its own
    return nullptr;
  }
  auto* block = new (memory) block_header{};
  block->index = index;
  block->used.store(sizeof(block_header), relaxed);  // relaxed: read after the program's end
  block->magic = block_magic;
  return block;
}

bool store_block(block_header* block) {
  file_header& h = *current;
  const off_t at = place_of(h.blocks.fetch_add(1, relaxed));  // relaxed: as in claim_block()
  auto* const events = reinterpret_cast<unsigned char*>(block) + sizeof *block;
  const std::uint32_t used = block->used.load(relaxed);  // relaxed: this thread wrote it
  block_header copy = {};
  copy.magic = block_magic;
  copy.index = block->index;
  copy.used.store(used, relaxed);  // relaxed, both: nobody else has the copy
  copy.is_closed.store(1, relaxed);
  copy.checksum = checksum_of(events, used - sizeof *block);
  copy.copies = block->copies;
  const iovec parts[] = {{&copy, sizeof copy}, {events, used - sizeof copy}};
  const int fd = open_again();
  const bool is_stored =
      fd >= 0 && may_reach(at) && pwritev(fd, parts, 2, at) == static_cast<ssize_t>(used);
  if (!is_stored) {
    h.drop_errno.store(static_cast<std::uint32_t>(errno != 0 ? errno : ENOSPC), relaxed);
    // A reader must not take a part of a copy for a block.
    const std::uint32_t none = 0;
    if (fd >= 0 && may_reach(at)) static_cast<void>(!pwrite(fd, &none, sizeof none, at));
  } else {
    // If the program is killed here, a reader finds both and leaves the older one out. release:
    // first the events are gone, then the number says that they lie elsewhere.
    block->used.store(sizeof(block_header), release);
    atomic_ref<std::uint64_t>(block->copies).store(copy.copies + 1, release);
  }
  if (fd >= 0) close(fd);
  return is_stored;
}

void close_block(block_header* block) {
  const std::uint32_t used = block->used.load(relaxed);  // relaxed: this thread wrote it
  block->checksum =
      checksum_of(reinterpret_cast<unsigned char*>(block) + sizeof *block, used - sizeof *block);
  block->is_closed.store(1, release);  // after the checksum, also if the program is killed here
  munmap(block, block_bytes);
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
  current->last_tick = tick_now();
  current->last_ns = monotonic_ns();
  return true;
}

void note_fork(std::uint64_t tick) {
  // A process without a file of its own has called nothing yet. Its child has the same blocks as
  // it: those that the owner of `path` had when that forked.
  if (mark.file.load(relaxed) != 0) fork_tick = tick;  // relaxed: asks about this process alone
}

void note_module_of(std::uintptr_t caller) {
  if (!is_in_noted_module(caller)) note_all_modules(path, tick_now());
}

}  // namespace heapsmith::recorder
