// The process's memory as the kernel counts it, and memory that malloc does not serve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

#include "../workload.hpp"

namespace pattern {

// The number after `key` in a file of /proc/self, in bytes. It allocates nothing.
inline std::uint64_t bytes_of(const char* path, const char* key) {
  char text[4096] = {};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  std::size_t length = 0;
  ssize_t got = 0;
  while (length < sizeof text - 1 &&
         (got = read(file, text + length, sizeof text - 1 - length)) > 0) {
    length += static_cast<std::size_t>(got);
  }
  close(file);
  const char* found = std::strstr(text, key);
  if (found == nullptr) lab::fail("the kernel does not tell the memory of a process");
  return std::strtoull(found + std::strlen(key), nullptr, 10) * 1024;
}

inline std::uint64_t peak_rss() {
  return bytes_of("/proc/self/status", "VmHWM:");
}

// smaps_rollup is exact, whereas the counters of status may lag by a few hundred KiB.
inline std::uint64_t current_rss() {
  return bytes_of("/proc/self/smaps_rollup", "Rss:");
}

// An array of zeroed elements with a mapping of its own.
template <class Element>
class mapped_array {
 public:
  explicit mapped_array(std::size_t count) : count_(count) {
    void* got = mmap(nullptr, count * sizeof(Element), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) lab::fail("no memory for the table of slots");
    data_ = static_cast<Element*>(got);
  }
  ~mapped_array() { munmap(data_, count_ * sizeof(Element)); }
  mapped_array(const mapped_array&) = delete;
  mapped_array& operator=(const mapped_array&) = delete;

  std::span<Element> all() const { return {data_, count_}; }

  // Zeroes all elements and gives their memory back.
  void forget() { madvise(data_, count_ * sizeof(Element), MADV_DONTNEED); }

 private:
  std::size_t count_;
  Element* data_;
};

}  // namespace pattern
