// Makes raw files and maps their blocks. No descriptor stays open, so a program may close all of
// its own.
#include "watch/record/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "watch/record/clock.hpp"

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

/// Returns: the block mapped, or null with errno.
void* map_block(int fd, std::uint32_t index) {
  const auto at = static_cast<off_t>(index) * static_cast<off_t>(block_bytes);
  rlimit most;
  // The kernel would send a signal, which ends the program.
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 &&
      static_cast<rlim_t>(at) + block_bytes > most.rlim_cur) {
    errno = EFBIG;
    return nullptr;
  }
  // The bytes are reserved now: to touch a page that the disk cannot hold would end the program.
  if (const int error = posix_fallocate(fd, at, block_bytes); error != 0) {
    errno = error;
    return nullptr;
  }
  void* p = mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
  return p == MAP_FAILED ? nullptr : p;
}

/// Returns: the first block of a new file, whose path it writes, or null with errno.
void* make_file(const char* directory, recording& r) {
  // A process that calls exec again and again makes a file each time, as one does that starts and
  // stops.
  constexpr unsigned most_files = 10'000;
  int fd = -1;
  for (unsigned n = 0; n < most_files; ++n) {
    snprintf(r.path, sizeof r.path, "%s/%d.%u.raw", directory, r.pid, n);
    fd = open(r.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd < 0) return nullptr;
  void* memory = map_block(fd, 0);
  const int error = errno;
  close(fd);
  if (memory == nullptr) unlink(r.path);
  errno = error;
  return memory;
}

}  // namespace

recording* make_recording(const char* directory, const recording* parents,
                          std::uint64_t fork_tick) {
  void* shared =
      mmap(nullptr, sizeof(recording), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return nullptr;
  auto* r = new (shared) recording{};
  r->pid = getpid();
  void* memory = make_file(directory, *r);
  if (memory == nullptr) {
    const int error = errno;
    munmap(shared, sizeof(recording));
    errno = error;
    return nullptr;
  }
  auto* h = new (memory) file_header{};
  h->version = file_version;
  h->bytes_a_block = block_bytes;
  h->bytes_a_page = static_cast<std::uint32_t>(sysconf(_SC_PAGESIZE));
  h->shift = tick_shift;
  h->pid = static_cast<std::uint32_t>(r->pid);
  h->parent_pid = static_cast<std::uint32_t>(getppid());
  h->first_tick = tick_now();
  h->first_ns = monotonic_ns();
  // relaxed, here and below: no other thread has the header yet
  h->last_tick.store(h->first_tick, relaxed);
  h->last_ns.store(h->first_ns, relaxed);
  h->blocks.store(1, relaxed);
  h->fork_tick = fork_tick;
  if (parents != nullptr)
    snprintf(h->parent_file, sizeof h->parent_file, "%s", strrchr(parents->path, '/') + 1);
  read_command(*h);
  memcpy(h->magic, file_magic, sizeof h->magic);
  r->header = h;
  return r;
}

block_header* claim_block(recording& r) {
  file_header& h = *r.header;
  // relaxed: only the thread that gets a number uses the block.
  const std::uint32_t index = h.blocks.fetch_add(1, relaxed);
  const int fd = open(r.path, O_RDWR | O_CLOEXEC);
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

void close_block(block_header* block) {
  const std::uint32_t used = block->used.load(relaxed);  // relaxed: this thread wrote it
  block->checksum =
      checksum_of(reinterpret_cast<unsigned char*>(block) + sizeof *block, used - sizeof *block);
  block->is_closed.store(1, release);  // after the checksum, also if the program is killed here
  munmap(block, block_bytes);
}

}  // namespace heapsmith::recorder
