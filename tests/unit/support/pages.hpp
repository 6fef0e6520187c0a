// The kernel's view of memory: which pages are present, and which addresses may be used at all.
#pragma once

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace heapsmith::test {

inline std::size_t os_page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// The bytes of [p, p + bytes) that have memory behind them; `p` is the start of an OS page.
inline std::size_t resident_bytes(const void* p, std::size_t bytes) {
  std::vector<unsigned char> pages((bytes + os_page() - 1) / os_page());
  if (mincore(const_cast<void*>(p), bytes, pages.data()) != 0) return SIZE_MAX;
  std::size_t n = 0;
  for (const unsigned char page : pages) n += page & 1;
  return n * os_page();
}

/// Whether something is mapped at the OS page that begins at `p`.
inline bool is_mapped(const void* p) {
  unsigned char page;
  return mincore(const_cast<void*>(p), os_page(), &page) == 0;
}

/// Whether the byte at `p` can be read: the kernel is asked to, and refuses instead of faulting.
inline bool is_readable(const void* p) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool read = write(ends[1], p, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return read;
}

inline bool is_zero(const void* p, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(p);
  for (std::size_t i = 0; i < bytes; ++i)
    if (at[i] != 0) return false;
  return true;
}

}  // namespace heapsmith::test
