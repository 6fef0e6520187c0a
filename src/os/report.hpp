// How a diagnosis leaves the process: the part of the interface to the operating system that
// regions need, too.
#pragma once

#include <cstddef>

namespace heapsmith::os {

/// Writes all of `text` to a file descriptor. Returns 0, or the error that stopped it.
int write_all(int fd, const char* text, std::size_t length);

/// Aborts the process, after a diagnosis was written.
[[noreturn]] void abort();

}  // namespace heapsmith::os
