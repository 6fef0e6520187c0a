// Makes the file of a process: in the folder of the recording, or as a segment of the pool.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

void read_command(file_header& h) {
  const ssize_t n = readlink("/proc/self/exe", h.executable, sizeof h.executable - 1);
  h.executable[n < 0 ? 0 : n] = 0;
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t bytes = read(fd, h.command, sizeof h.command);
  h.command_bytes = bytes < 0 ? 0 : static_cast<std::uint32_t>(bytes);
  close(fd);
}

/// Effects: fills in the header of a new file.
file_header* write_header(void* memory, int pid, std::uint64_t fork_tick) {
  auto* h = new (memory) file_header{};
  h->version = file_version;
  h->bytes_a_block = block_bytes;
  h->bytes_a_page = static_cast<std::uint32_t>(sysconf(_SC_PAGESIZE));
  h->shift = tick_shift;
  h->pid = static_cast<std::uint32_t>(pid);
  h->parent_pid = static_cast<std::uint32_t>(getppid());
  h->first_tick = h->last_tick = tick_now();
  h->first_ns = h->last_ns = monotonic_ns();
  h->stopped_tick = is_clock_stopped() ? h->first_tick : 0;
  h->fork_tick = fork_tick;
  h->confined.store(confined.load(relaxed), relaxed);  // relaxed, all: nobody else has the header
  h->blocks.store(1, relaxed);
  read_command(*h);
  memcpy(h->magic, file_magic, sizeof h->magic);
  return h;
}

}  // namespace

bool may_reach(off_t at) {
  rlimit most;
  // The kernel would send a signal, which ends the program.
  if (getrlimit(RLIMIT_FSIZE, &most) != 0 || static_cast<rlim_t>(at) + block_bytes <= most.rlim_cur)
    return true;
  errno = EFBIG;
  return false;
}

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

file_header* make_file(const char* directory, int pid, std::uint64_t fork_tick) {
  // A process that calls exec again and again makes a file each time.
  constexpr unsigned most_files = 10'000;
  int fd = -1;
  for (unsigned n = 0; n < most_files; ++n) {
    snprintf(path, path_bytes, "%s/%d.%u.raw", directory, pid, n);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd < 0) return nullptr;
  void* memory = map_block(fd, 0);
  const int error = errno;
  close(fd);
  if (memory == nullptr) {
    unlink(path);
    errno = error;
    return nullptr;
  }
  return write_header(memory, pid, fork_tick);
}

file_header* make_segment(const char* directory, int pid, std::uint64_t fork_tick) {
  inherit_pool();
  const segment mine = claim_segment();
  if (mine.header == nullptr) return nullptr;
  use_segment(mine.blocks);
  become_confined(confinement::jailed);
  snprintf(path, path_bytes, "%s/%d.%u.raw", directory, pid, 10'000 + mine.number);
  file_header* const h = write_header(mine.header, pid, fork_tick);
  void* const maps = map_behind(h, mine.maps_at, most_maps_bytes);
  if (maps == nullptr) return h;
  if (populate(maps, most_maps_bytes)) {
    maps_room room = {static_cast<unsigned char*>(maps), most_maps_bytes, 0};
    note_all_modules(path, room, h->first_tick);
    h->maps_at = mine.maps_at;
    h->maps_bytes = room.used;
  }
  munmap(maps, most_maps_bytes);
  return h;
}

}  // namespace heapsmith::recorder
