// HEAPSMITH_STATS: statistics when the process ends, into the file or terminal it started with.
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "watch/environment.hpp"
#include "watch/print.hpp"
#include "watch/version.hpp"

namespace heapsmith::watch {
namespace {

enum class format { none, text, json };

struct exit_report {
  format as = format::none;
  int fd = -1;  // a duplicate of stderr that programs closing theirs do not know of
  struct stat identity =
      {};             // of the file behind it: programs that close everything may reuse the number
  pid_t process = 0;  // a forked child did not ask for a report
  char path[PATH_MAX] = {};
};
constinit exit_report report;

constexpr int unlikely_number = 512;  // above what programs count on, below the usual limit of 1024

void keep_stderr() {
  report.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, unlikely_number);
  if (report.fd < 0) report.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (report.fd >= 0 && fstat(report.fd, &report.identity) != 0) report.fd = -1;
}

/// A relative path means the directory the program started in, whatever it changes to.
void keep_path(const char* file) {
  std::size_t at = 0;
  if (file[0] != '/' && getcwd(report.path, sizeof report.path) != nullptr) {
    at = strlen(report.path);
    report.path[at++] = '/';
  }
  if (strlen(file) >= sizeof report.path - at) {
    os::warn("HEAPSMITH_STATS_FILE is too long; no statistics will be written");
    report.as = format::none;
    return;
  }
  memcpy(report.path + at, file, strlen(file) + 1);
}

int open_report() {
  if (report.path[0] != '\0')
    return open(report.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  struct stat now;
  if (report.fd < 0 || fstat(report.fd, &now) != 0) return -1;
  const bool same = now.st_dev == report.identity.st_dev && now.st_ino == report.identity.st_ino;
  return same ? report.fd : -1;
}

[[gnu::constructor]] void read_wishes() {
  if (os::is_privileged() || !serves_the_process()) return;
  if (const char* verbose = os::environment("HEAPSMITH_VERBOSE");
      verbose != nullptr && *verbose != '0')
    warn_of_unknown_variables();
  const char* wish = os::environment("HEAPSMITH_STATS");
  const char* file = os::environment("HEAPSMITH_STATS_FILE");
  if ((wish == nullptr || *wish == '\0' || strcmp(wish, "0") == 0)) return;
  report.as = strcmp(wish, "json") == 0 ? format::json : format::text;
  report.process = getpid();
  if (file != nullptr && *file != '\0')
    keep_path(file);
  else
    keep_stderr();
}

[[gnu::destructor]] void write_report() {
  if (report.as == format::none || report.process != getpid()) return;
  const int fd = open_report();
  if (fd < 0) return;
  report.as == format::json ? print_statistics_json(fd) : print_statistics(fd);
  close(fd);
}

}  // namespace
}  // namespace heapsmith::watch
