// Copies /proc/self/maps, says which files have code, and remembers the ranges of it. It takes no
// lock of the dynamic loader: a thread that waits for an allocation may hold that.
#include "record/modules.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/atomic.hpp"
#include "record/confine.hpp"

namespace heapsmith::recorder {
namespace {

constexpr unsigned most_ranges = 1024;
constexpr unsigned most_notes = 64;  // a program that makes code at run time would never end

struct range {
  std::uintptr_t from, to;
};
constinit range ranges[most_ranges] = {};
constinit atomic<unsigned> known{0};
constinit atomic<unsigned> notes{0};
constinit atomic<bool> is_noting{false};

/// Of the thread that notes. Stacks of threads may be small.
struct {
  char in[4096], line[4352], out[8192];
} constinit buffers = {};

bool is_known(std::uintptr_t address) {
  // acquire pairs with add(): the range is written. With relaxed it could be read too early.
  const unsigned n = known.load(acquire);
  for (unsigned i = 0; i < n; ++i)
    if (address - ranges[i].from < ranges[i].to - ranges[i].from) return true;
  return false;
}

void add(std::uintptr_t from, std::uintptr_t to) {
  const unsigned n = known.load(relaxed);  // relaxed: only one thread at a time adds
  if (n == most_ranges || (is_known(from) && is_known(to - 1))) return;
  ranges[n] = {from, to};
  known.store(n + 1, release);
}

/// Where the list goes: into a file, or into memory.
struct sink {
  int fd;
  maps_room room;
  std::size_t pending;

  void write_all(const char* from, std::size_t bytes) {
    if (room.at != nullptr) {
      const std::size_t left = room.bytes - room.used;
      const std::size_t n = bytes < left ? bytes : left;
      memcpy(room.at + room.used, from, n);
      room.used += n;
      return;
    }
    if (pending + bytes > sizeof buffers.out) flush();
    if (bytes > sizeof buffers.out) return;  // no line is so long
    memcpy(buffers.out + pending, from, bytes);
    pending += bytes;
  }

  void flush() {
    const char* from = buffers.out;
    while (fd >= 0 && pending != 0) {
      const ssize_t n = write(fd, from, pending);
      if (n <= 0) break;
      from += n;
      pending -= static_cast<std::size_t>(n);
    }
    pending = 0;
  }
};

/// Effects: writes which file lies at `from`: another one may have its path later. The kernel's
/// line has no time, and inodes are used again.
void write_stamp(unsigned long from, const char* file, sink& out) {
  struct stat now;
  if (file == nullptr || stat(file, &now) != 0 || !S_ISREG(now.st_mode)) return;
  char line[96];
  const int n = snprintf(line, sizeof line, "stamp %lx %llu %lld %09ld\n", from,
                         static_cast<unsigned long long>(now.st_size),
                         static_cast<long long>(now.st_mtim.tv_sec), now.st_mtim.tv_nsec);
  out.write_all(line, static_cast<std::size_t>(n));
}

/// Effects: copies a line such as "7f00-7f10 r-xp … /lib/a.so", which has its end. If it holds
/// code, adds the range, and writes what file that is if it may ask.
void copy_line(char* line, std::size_t bytes, bool may_stat, sink& out) {
  out.write_all(line, bytes);
  line[bytes - 1] = 0;
  unsigned long from = 0, to = 0;
  char access[5] = {};
  if (sscanf(line, "%lx-%lx %4s", &from, &to, access) != 3 || access[2] != 'x') return;
  add(from, to);
  if (may_stat) write_stamp(from, strchr(line, '/'), out);
}

/// Effects: copies the lines; the end of one that is longer than any path is left out.
void copy_maps(int in, bool may_stat, sink& out) {
  std::size_t filled = 0;
  for (ssize_t n; (n = read(in, buffers.in, sizeof buffers.in)) > 0;) {
    for (ssize_t i = 0; i < n; ++i) {
      const char c = buffers.in[i];
      if (filled + 1 < sizeof buffers.line || c == '\n') buffers.line[filled++] = c;
      if (c != '\n') continue;
      copy_line(buffers.line, filled, may_stat, out);
      filled = 0;
    }
  }
}

}  // namespace

void note_all_modules(const char* file, maps_room& room, std::uint64_t tick) {
  const kernel_calls calls;
  if (!calls.may_open() && room.at == nullptr) return;
  // acquire and release: ranges that another thread added before are seen. A thread that comes
  // meanwhile need not wait.
  if (is_noting.exchange(true, acquire)) return;
  notes.fetch_add(1, relaxed);  // relaxed: only one thread at a time
  char name[2400];
  snprintf(name, sizeof name, "%s.maps", file);
  const int in = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  sink out = {room.at != nullptr ? -1 : open(name, flags, 0600), room, 0};
  // In another root, the paths lead to other files.
  const bool may_stat = calls.may_open() && may_make_unusual_calls();
  const int n = snprintf(name, sizeof name, "tick %llu\n", static_cast<unsigned long long>(tick));
  if (in >= 0) {
    out.write_all(name, static_cast<std::size_t>(n));
    copy_maps(in, may_stat, out);
    out.flush();
    close(in);
  }
  if (out.fd >= 0) close(out.fd);
  room.used = out.room.used;
  is_noting.store(false, release);
}

bool is_in_noted_module(std::uintptr_t address) {
  return is_known(address) || notes.load(relaxed) >= most_notes;  // relaxed: a number of its own
}

}  // namespace heapsmith::recorder
