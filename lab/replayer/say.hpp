// The output of the replayer. glibc's dprintf takes a buffer from malloc: of the allocator that is
// measured, which may then tidy up a whole heap.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

namespace heapsmith::replayer {

/// Effects: writes a formatted text of at most 511 bytes, without an allocation.
[[gnu::format(printf, 2, 3)]] inline void say(int file, const char* format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (length <= 0) return;
  const auto bytes = static_cast<size_t>(length);
  const char* from = text;
  size_t left = bytes < sizeof text ? bytes : sizeof text - 1;
  while (left > 0) {
    const ssize_t written = ::write(file, from, left);
    if (written <= 0) return;
    from += written;
    left -= static_cast<size_t>(written);
  }
}

}  // namespace heapsmith::replayer
