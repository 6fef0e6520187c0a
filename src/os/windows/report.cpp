// Windows, for regions: diagnoses go through the descriptors of the C runtime.
#include "os/report.hpp"

#include <errno.h>
#include <io.h>
#include <stdlib.h>

#include <algorithm>

namespace heapsmith::os {

int write_all(int fd, const char* text, std::size_t length) {
  const int saved = errno;
  int error = 0;
  while (length > 0 && error == 0) {
    const auto most = static_cast<unsigned>(std::min<std::size_t>(length, 1 << 20));
    const int written = _write(fd, text, most);
    if (written <= 0) {
      error = written < 0 ? errno : EIO;
    } else {
      text += written;
      length -= static_cast<std::size_t>(written);
    }
  }
  errno = saved;
  return error;
}

void abort() {
  ::abort();
}

}  // namespace heapsmith::os
