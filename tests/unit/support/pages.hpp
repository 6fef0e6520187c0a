// The kernel's view of memory: which pages are present, and which addresses may be used at all.
#pragma once

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "os/os.hpp"

namespace heapsmith::test {

/// The pages that the library works with.
inline std::size_t os_page() {
  return os::page_bytes();
}

/// Those of the kernel, which are smaller in some builds of the tests (HEAPSMITH_PRETENDED_PAGE).
inline std::size_t kernel_page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// The bytes of [p, p + bytes) in OS pages with memory behind them; `p` is the start of an OS page.
inline std::size_t resident_bytes(const void* p, std::size_t bytes) {
  std::vector<unsigned char> pages((bytes + kernel_page() - 1) / kernel_page());
  if (mincore(const_cast<void*>(p), bytes, pages.data()) != 0) return SIZE_MAX;
  const std::size_t in_one = os_page() / kernel_page();
  std::size_t n = 0;
  for (std::size_t i = 0; i < pages.size(); i += in_one) {
    const auto first = pages.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(in_one, pages.size() - i));
    n += std::any_of(first, end, [](unsigned char page) { return (page & 1) != 0; });
  }
  return n * os_page();
}

/// Whether something is mapped at the OS page that begins at `p`.
inline bool is_mapped(const void* p) {
  unsigned char page;
  return mincore(const_cast<void*>(p), kernel_page(), &page) == 0;
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
