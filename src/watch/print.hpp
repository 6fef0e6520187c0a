// Statistics as text for people, as JSON for programs, and as glibc's malloc_info XML.
#pragma once

#include <stdio.h>

#include <cstddef>

namespace heapsmith::watch {

/// Return 0, or the error number of a write that failed.
int print_statistics(int fd);
int print_statistics_json(int fd);

/// The text of print_statistics(), cut to `room` characters with the null character that ends it.
/// Returns its whole length, below format_room.
std::size_t format_statistics(char* text, std::size_t room);
inline constexpr std::size_t format_room = 4096;

/// Returns 0, or an error number when `options` is not 0 or the stream fails.
int print_malloc_info(int options, FILE* stream);

}  // namespace heapsmith::watch
