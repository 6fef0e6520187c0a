// Reads the first bytes of a program, as the kernel does.
#include "program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

namespace heapsmith::recorder {
namespace {

constexpr std::size_t most_path = 4096;
constexpr unsigned most_scripts = 4;  // one behind the other, which the kernel follows

struct beginning {
  alignas(8) char bytes[4096];
  std::size_t length;
};

bool read_beginning(int fd, beginning& to) {
  const ssize_t n = pread(fd, to.bytes, sizeof to.bytes - 1, 0);
  if (n <= 0) return false;
  to.length = static_cast<std::size_t>(n);
  to.bytes[n] = 0;
  return true;
}

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#else
constexpr unsigned own_machine = EM_AARCH64;
#endif

lack lack_of_elf(const beginning& file) {
  Elf64_Ehdr header;
  if (file.length < sizeof header) return lack::unknown;
  memcpy(&header, file.bytes, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine)
    return lack::is_foreign;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::size_t at = header.e_phoff + i * sizeof part;
    if (at > file.length || file.length - at < sizeof part) return lack::unknown;
    memcpy(&part, file.bytes + at, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    const bool is_near = part.p_offset < file.length;
    const bool is_musl = is_near && strstr(file.bytes + part.p_offset, "/ld-musl") != nullptr;
    return is_musl ? lack::is_musl : lack::unknown;
  }
  return lack::is_static;
}

/// Whether the kernel gives the program another user or rights than this process has.
bool is_secure(int fd) {
  struct stat now;
  if (fstat(fd, &now) != 0) return false;
  if ((now.st_mode & S_ISUID) != 0 && now.st_uid != geteuid()) return true;
  if ((now.st_mode & S_ISGID) != 0 && now.st_gid != getegid()) return true;
  return geteuid() != 0 && fgetxattr(fd, "security.capability", nullptr, 0) > 0;
}

/// Effects: copies the path of the interpreter that a script names.
bool read_interpreter(const beginning& file, char (&to)[256]) {
  if (file.length < 3 || memcmp(file.bytes, "#!", 2) != 0) return false;
  const char* from = file.bytes + 2;
  from += strspn(from, " \t");
  const std::size_t n = strcspn(from, " \t\n");
  if (n == 0 || n >= sizeof to) return false;
  memcpy(to, from, n);
  to[n] = 0;
  return true;
}

int open_program(const char* path) {
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/// Returns: the first file of PATH that can be run, or -1.
int open_searched(const char* name) {
  const char* at = getenv("PATH");
  if (at == nullptr) at = "/bin:/usr/bin";
  char path[most_path];
  const std::size_t length = strlen(name);
  while (true) {
    const std::size_t n = strcspn(at, ":");
    if (n + length + 2 <= sizeof path) {
      memcpy(path, at, n);
      path[n] = '/';
      memcpy(path + (n == 0 ? 0 : n + 1), name, length + 1);
      if (access(path, X_OK) == 0) return open_program(path);
    }
    if (at[n] == 0) return -1;
    at += n + 1;
  }
}

}  // namespace

lack lack_of_file(int fd, unsigned scripts) {
  beginning file;
  char interpreter[256];
  if (!read_beginning(fd, file)) return lack::unknown;
  if (!read_interpreter(file, interpreter)) {
    const bool is_elf = memcmp(file.bytes, ELFMAG, SELFMAG) == 0;
    const lack why = is_elf ? lack_of_elf(file) : lack::unknown;
    return why == lack::unknown && is_secure(fd) ? lack::is_secure : why;
  }
  const int next = scripts == most_scripts ? -1 : open_program(interpreter);
  if (next < 0) return lack::unknown;
  const lack why = lack_of_file(next, scripts + 1);
  close(next);
  return why;
}

lack lack_of_program(const char* path, bool searched) {
  if (path == nullptr) return lack::unknown;
  const bool is_name = searched && strchr(path, '/') == nullptr;
  const int fd = is_name ? open_searched(path) : open_program(path);
  if (fd < 0) return lack::unknown;
  const lack why = lack_of_file(fd);
  close(fd);
  return why;
}

}  // namespace heapsmith::recorder
