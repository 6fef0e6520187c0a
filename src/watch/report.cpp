// Where the process's statistics are written: a file, or the stderr that it started with.
#include "watch/report.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "base/parse.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "os/settings.hpp"
#include "spans/spans.hpp"
#include "watch/print.hpp"

namespace heapsmith::watch {
namespace {

enum class format { none, text, json };  // as the words of the setting

struct exit_report {
  format as = format::none;
  int fd = 0;  // keep_stderr() sets it: a duplicate that programs closing theirs do not know of
  struct stat identity =
      {};             // of the file behind it: programs that close everything may reuse the number
  pid_t process = 0;  // a forked child did not ask for a report
  const char* path = "";  // of a file instead of stderr
};
constinit exit_report report;

constexpr int unlikely_number = 512;  // above what programs count on, below the usual limit of 1024

void keep_stderr() {
  report.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, unlikely_number);
  if (report.fd < 0) report.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (report.fd >= 0 && fstat(report.fd, &report.identity) != 0) report.fd = -1;
}

/// Stderr as it was when the process started; -1 if that is closed now.
int kept_stderr() {
  struct stat now;
  if (report.fd < 0 || fstat(report.fd, &now) != 0) return -1;
  const bool same = now.st_dev == report.identity.st_dev && now.st_ino == report.identity.st_ino;
  return same ? report.fd : -1;
}

int open_file() {
  return open(report.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

/// Returns: what the error number means, in English. Allocates nothing.
const char* meaning_of(int error) {
#ifdef __GLIBC__
  return strerrordesc_np(error);  // strerror() may translate, which allocates
#else
  return strerror(error);
#endif
}

void complain_of_file(int fd, int error) {
  os::line()
      .add("heapsmith: stats_file: \"")
      .add(part(report.path, 0, 300))
      .add("\": ")
      .add(meaning_of(error))
      .add("; no statistics are written")
      .write(fd);
}

/// A relative path means the directory the program started in, whatever it changes to. A file that
/// cannot be written is named now, while somebody looks.
void keep_path(std::string_view file) {
  auto* const path = static_cast<char*>(spans::allocate_metadata(PATH_MAX));
  std::size_t at = 0;
  if (path != nullptr && file.front() != '/' && getcwd(path, PATH_MAX) != nullptr) {
    at = strlen(path);
    path[at++] = '/';
  }
  const bool fits = path != nullptr && file.size() < PATH_MAX - at;
  if (fits) memcpy(path + at, file.data(), file.size());  // a null byte follows
  if (path != nullptr) report.path = path;
  const int fd = fits ? open_file() : -1;
  if (fd < 0) {
    complain_of_file(STDERR_FILENO, fits ? errno : path == nullptr ? ENOMEM : ENAMETOOLONG);
    report.as = format::none;
  }
  if (fd >= 0) close(fd);
}

}  // namespace

bool prepare_report() {
  const os::setting_value& stats = os::value_of(os::setting::stats);
  const std::string_view file = os::value_of(os::setting::stats_file).text;
  report.as = static_cast<format>(stats.number);
  // A file alone asks for statistics, too.
  if (stats.from == os::origin::built_in && !file.empty()) report.as = format::text;
  if (report.as == format::none) return false;
  report.process = getpid();
  keep_stderr();
  if (!file.empty()) keep_path(file);
  return report.as != format::none;
}

bool reports_to_file() {
  return report.path[0] != '\0';
}

void write_report() {
  if (report.as == format::none || report.process != getpid()) return;
  const bool to_file = report.path[0] != '\0';
  const int fd = to_file ? open_file() : kept_stderr();
  int error = fd < 0 ? errno : 0;
  if (fd >= 0) error = report.as == format::json ? print_statistics_json(fd) : print_statistics(fd);
  if (error != 0 && to_file) complain_of_file(kept_stderr(), error);
  if (fd >= 0 && to_file) close(fd);  // stderr may be written to again
}

}  // namespace heapsmith::watch
