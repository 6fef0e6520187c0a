// The pool is mapped while its path leads to it. Forked processes inherit the mapping, and programs
// the descriptor.
#include "record/pool.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/reserve.hpp"

namespace heapsmith::recorder {
namespace {

constexpr std::uint32_t most_segments = 1024;
constexpr std::uint64_t least_segment = std::uint64_t{4} << 20;
constexpr std::uint64_t most_segment = std::uint64_t{1} << 30;
constexpr int first_descriptor = 1000;  // above those that programs use
constexpr int descriptors = 24;         // of these numbers, the pool has one

constinit atomic<pool_header*> pool{nullptr};

int first_place() {
  rlimit most;
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur >= first_descriptor + descriptors)
    return first_descriptor;
  return most.rlim_cur > descriptors ? static_cast<int>(most.rlim_cur) - descriptors : 0;
}

/// Returns: the descriptor of the pool that stays open, or -1.
int descriptor() {
  const int from = first_place();
  for (int fd = from; fd < from + descriptors; ++fd) {
    std::uint64_t magic = 0;
    if (pread(fd, &magic, sizeof magic, 0) == sizeof magic && magic == pool_magic) return fd;
  }
  return -1;
}

void write_header(int fd, pool_header& h) {
  const std::uint64_t all = most_segments + 1;
  const std::uint64_t bytes = make_sparse(fd, all * least_segment, all * most_segment);
  h.segment_bytes = bytes / all / block_bytes * block_bytes;
  h.segments = bytes == 0 ? 0 : most_segments;
  h.magic.store(pool_magic, release);  // pairs with map_pool()
}

/// Returns: the header, once the process that makes the pool has written it, or null.
pool_header* map_pool(int fd, bool is_mine) {
  constexpr unsigned most_looks = 10'000;
  struct stat now;
  for (unsigned i = 0; i < most_looks; ++i) {
    if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode)) return nullptr;
    if (now.st_size >= static_cast<off_t>(block_bytes)) break;
    if (is_mine && ftruncate(fd, static_cast<off_t>(block_bytes)) != 0) return nullptr;
    sched_yield();
  }
  if (now.st_size < static_cast<off_t>(block_bytes)) return nullptr;
  void* p = mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) return nullptr;
  auto* h = static_cast<pool_header*>(p);
  if (is_mine && posix_fallocate(fd, 0, block_bytes) == 0) write_header(fd, *h);
  // acquire pairs with write_header()
  for (unsigned i = 0; i < most_looks && h->magic.load(acquire) == 0; ++i) sched_yield();
  if (h->magic.load(acquire) == pool_magic && h->segments != 0) return h;
  munmap(p, block_bytes);
  return nullptr;
}

}  // namespace

void open_pool(const char* directory) {
  // A process between vfork() and exec has mapped the pool for its parent, too, but has descriptors
  // of its own. relaxed: only one thread at a time opens the pool.
  if (pool.load(relaxed) != nullptr && descriptor() >= 0) return;
  char path[2304];
  snprintf(path, sizeof path, "%s/%s", directory, pool_name);
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  bool is_mine = true;
  int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
  if (fd < 0) {
    is_mine = false;
    fd = open(path, flags | O_NONBLOCK);
  }
  if (fd < 0) return;
  if (pool.load(relaxed) == nullptr) pool.store(map_pool(fd, is_mine), relaxed);
  if (pool.load(relaxed) != nullptr) fcntl(fd, F_DUPFD, first_place());  // stays open in programs
  close(fd);
}

void inherit_pool() {
  if (pool.load(relaxed) != nullptr) return;  // relaxed: as in open_pool()
  const int fd = descriptor();
  if (fd >= 0) pool.store(map_pool(fd, false), relaxed);
}

segment claim_segment() {
  pool_header* h = pool.load(relaxed);  // relaxed: as in open_pool(), or of the parent
  if (h == nullptr) return {};
  const std::uint32_t number = h->taken.fetch_add(1, relaxed);  // relaxed: a number of its own
  if (number >= h->segments) {
    errno = ENOSPC;
    return {};
  }
  void* p = map_behind(h, (number + std::uint64_t{1}) * h->segment_bytes, block_bytes);
  if (p == nullptr) return {};
  if (!populate(p, block_bytes)) {
    munmap(p, block_bytes);
    return {};
  }
  const std::uint64_t room = h->segment_bytes - most_maps_bytes;
  return {static_cast<file_header*>(p), number, static_cast<std::uint32_t>(room / block_bytes),
          room};
}

}  // namespace heapsmith::recorder
