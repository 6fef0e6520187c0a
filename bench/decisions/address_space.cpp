// Decision 0005: a range reserved as inaccessible memory against one that is mapped on as it grows.
//
// Each way maps 16 MiB, touches 1 MiB, and is then looked at: size of the process, what a limit on
// the address space set at run time leaves, system calls to grow, mappings, size of a core file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

constexpr std::size_t MiB = 1 << 20, GiB = 1 << 30;
constexpr std::size_t reserved = 64 * GiB, committed = 16 * MiB, step = MiB;
constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

char* grow_in_reservation() {
  void* p = mmap(nullptr, reserved, PROT_NONE, anonymous | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) abort();
  char* base = static_cast<char*>(p);
  for (std::size_t at = 0; at < committed; at += step)
    if (mprotect(base + at, step, PROT_READ | PROT_WRITE) != 0) abort();
  return base;
}

char* grow_in_hole() {
  char* base = reinterpret_cast<char*>(30ull << 40);
  for (std::size_t at = 0; at < committed; at += step) {
    void* p = mmap(base + at, step, PROT_READ | PROT_WRITE, anonymous | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != base + at) abort();
  }
  return base;
}

char* grow_not() {
  return static_cast<char*>(mmap(nullptr, MiB, PROT_READ | PROT_WRITE, anonymous, -1, 0));
}

/// The first number after `key` in a file of /proc.
std::size_t number_in(const char* file, const char* key) {
  char line[512];
  std::size_t value = 0;
  FILE* f = fopen(file, "r");
  while (f != nullptr && fgets(line, sizeof line, f) != nullptr)
    if (strncmp(line, key, strlen(key)) == 0) value = strtoul(line + strlen(key), nullptr, 10);
  if (f != nullptr) fclose(f);
  return value;
}

std::size_t mappings() {
  std::size_t n = 0;
  FILE* f = fopen("/proc/self/maps", "r");
  for (int c = fgetc(f); c != EOF; c = fgetc(f)) n += c == '\n';
  fclose(f);
  return n;
}

/// Dies with a core file in a directory of its own; nothing is known where the kernel pipes cores
/// away.
void dump_core() {
  const rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &unlimited);
  abort();
}

void report_core(const char* directory, pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) abort();
  char with_pid[32];
  snprintf(with_pid, sizeof with_pid, "core.%d", static_cast<int>(child));
  struct stat s;
  for (const char* name : {"core", static_cast<const char*>(with_pid)}) {
    if (stat(name, &s) != 0) continue;
    printf(" %9.1f %9.1f\n", static_cast<double>(s.st_size) / MiB,
           static_cast<double>(s.st_blocks) / 2048);
    unlink(name);
    if (rmdir(directory) != 0) abort();
    return;
  }
  printf(" %9s %9s\n", "?", "?");
  rmdir(directory);
}

void look_at(const char* name, char* (*grow)()) {
  fflush(stdout);  // or the child would print it again
  char directory[] = "/tmp/address_space.XXXXXX";
  if (mkdtemp(directory) == nullptr || chdir(directory) != 0) abort();
  const pid_t child = fork();
  if (child == 0) {
    memset(grow(), 1, MiB);
    const std::size_t size = number_in("/proc/self/status", "VmSize:") / 1024;
    const std::size_t maps = mappings();
    // A program that limits itself to 1 GiB more than it touched, as sandboxes and tests do.
    const rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, tight = {GiB, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &tight) != 0) abort();
    void* stack = mmap(nullptr, 8 * MiB, PROT_READ | PROT_WRITE, anonymous, -1, 0);
    setrlimit(RLIMIT_AS, &before);
    printf("%-22s %9zu %9zu %18s", name, size, maps, stack == MAP_FAILED ? "refused" : "mapped");
    fflush(stdout);
    dump_core();
  }
  report_core(directory, child);
}

}  // namespace

int main() {
  printf("%-22s %9s %9s %18s %9s %9s\n", "", "VSZ, MiB", "mappings", "8 MiB under 1 GiB",
         "core, MiB", "on disk");
  fflush(stdout);
  look_at("neither", grow_not);
  look_at("64 GiB reserved", grow_in_reservation);
  look_at("mapped on in a hole", grow_in_hole);
}
