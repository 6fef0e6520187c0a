// Statistics as text for people, as JSON for programs, and as glibc's malloc_info XML.
#pragma once

#include <stdio.h>

namespace heapsmith::watch {

/// Return 0, or the error number of a write that failed.
int print_statistics(int fd);
int print_statistics_json(int fd);

/// Returns 0, or an error number when `options` is not 0 or the stream fails.
int print_malloc_info(int options, FILE* stream);

}  // namespace heapsmith::watch
