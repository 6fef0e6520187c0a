// The memory of this process, from /proc/self/statm. The recorder and the replayer read it alike.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>

namespace heapsmith::lab {

/// Returns: the bytes of the process's OS pages that belong to no file, or 0 if `statm` cannot be
/// read.
inline std::uint64_t anonymous_bytes(int statm) {
  char text[256];
  const ssize_t n = pread(statm, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  char* at = text;
  strtoul(at, &at, 10);  // the address space
  const unsigned long resident = strtoul(at, &at, 10), of_files = strtoul(at, &at, 10);
  return (resident - of_files) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace heapsmith::lab
