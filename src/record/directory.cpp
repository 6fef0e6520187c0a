// Finds the folder of the recording: it is in a variable of the environment.
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "record/file_parts.hpp"

namespace heapsmith::recorder {
namespace {

constexpr std::size_t most_environment = 4 * 1024 * 1024;
constexpr char variable[] = "HEAPSMITH_RECORD_DIR=";

}  // namespace

constinit char directory[directory_bytes] = {};

void find_directory() {
  if (getauxval(AT_SECURE) != 0) return;  // the variable may come from another user
  const int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char buffer[4096];
  std::size_t matched = 0, copied = 0;
  bool skips = false, copies = false;
  for (std::size_t total = 0; total < most_environment;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    total += static_cast<std::size_t>(n);
    for (ssize_t i = 0; i < n; ++i) {
      const char c = buffer[i];
      if (copies) {
        if (copied + 1 < sizeof directory) directory[copied++] = c;
        if (c == 0) goto done;
      } else if (c == 0) {
        matched = 0;
        skips = false;
      } else if (!skips) {
        skips = c != variable[matched];
        copies = !skips && ++matched == sizeof variable - 1;
      }
    }
  }
done:
  close(fd);
  directory[copied] = 0;
  if (directory[0] != '/') directory[0] = 0;  // the program may change its directory
}

}  // namespace heapsmith::recorder
