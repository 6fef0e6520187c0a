// Copies /proc/self/maps and remembers which ranges of it hold code. It takes no lock of the
// dynamic loader: a thread that waits for an allocation may hold that.
#include "record/modules.hpp"

#include <fcntl.h>
#include <stdio.h>
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

/// Effects: adds the range of a line such as "7f00-7f10 r-xp …", if it holds code.
void read_line(const char* line) {
  unsigned long from = 0, to = 0;
  char access[5] = {};
  if (sscanf(line, "%lx-%lx %4s", &from, &to, access) == 3 && access[2] == 'x') add(from, to);
}

/// Where the list goes: into a file, or into memory.
struct sink {
  int fd;
  maps_room room;

  bool write_all(const char* from, std::size_t bytes) {
    if (room.at != nullptr) {
      const std::size_t left = room.bytes - room.used;
      const std::size_t n = bytes < left ? bytes : left;
      memcpy(room.at + room.used, from, n);
      room.used += n;
      return n == bytes;
    }
    while (fd >= 0 && bytes != 0) {
      const ssize_t n = write(fd, from, bytes);
      if (n <= 0) return false;
      from += n;
      bytes -= static_cast<std::size_t>(n);
    }
    return true;
  }
};

void copy_maps(int in, sink& out) {
  constexpr std::size_t most_line = 80;  // of a line that is read: its beginning
  char buffer[4096];
  char line[most_line];
  std::size_t filled = 0;
  for (ssize_t n; (n = read(in, buffer, sizeof buffer)) > 0;) {
    if (!out.write_all(buffer, static_cast<std::size_t>(n))) break;
    for (ssize_t i = 0; i < n; ++i) {
      if (buffer[i] == '\n') {
        line[filled] = 0;
        read_line(line);
        filled = 0;
      } else if (filled + 1 < most_line) {
        line[filled++] = buffer[i];
      }
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
  sink out = {room.at != nullptr ? -1 : open(name, flags, 0600), room};
  const int n = snprintf(name, sizeof name, "tick %llu\n", static_cast<unsigned long long>(tick));
  if (in >= 0) {
    out.write_all(name, static_cast<std::size_t>(n));
    copy_maps(in, out);
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
