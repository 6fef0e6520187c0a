// The library's own thread, made by clone(). docs/design/giving-back.md says why libc's
// threads will not do.
#include "os/own_thread.hpp"

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "os/lock.hpp"
#include "os/os.hpp"
#include "os/this_thread.hpp"

/// Every sanitizer's runtime has it.
extern "C" [[gnu::weak]] void __sanitizer_print_stack_trace();

namespace heapsmith::os {
namespace {

constexpr std::size_t stack_bytes = 16 * KiB;
constexpr std::size_t descriptor_bytes = 4 * KiB;  // libc's own data of a thread are smaller
constexpr std::size_t most_variables_bytes = 16 * MiB;

// The layout of thread storage and the filter of system calls are those of x86-64.
#if defined(__x86_64__)
constexpr bool is_for_this_processor = true;
#else
constexpr bool is_for_this_processor = false;
#endif

/// The memory of the thread: a guard page, its stack, its variables of thread storage, and the
/// descriptor, to which the thread pointer points.
struct {
  char* start = nullptr;
  std::size_t bytes = 0;
  const char* name = nullptr;
  void (*body)() = nullptr;
} constinit thread;

char* descriptor() {
  return thread.start + thread.bytes - descriptor_bytes;
}

/// Where the calling thread's variables of this library begin, if the loader says so.
int note_variables(dl_phdr_info* info, std::size_t /*size*/, void* lowest) {
  const auto here = reinterpret_cast<std::uintptr_t>(&note_variables);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || here - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    auto& least = *static_cast<std::uintptr_t*>(lowest);
    if (info->dlpi_tls_data != nullptr)
      least = std::min(least, reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data));
    return 1;
  }
  return 0;
}

/// The bytes below the thread pointer in which this library's variables and errno lie.
std::size_t variables_bytes() {
  std::uintptr_t lowest = std::min(reinterpret_cast<std::uintptr_t>(&errno),
                                   reinterpret_cast<std::uintptr_t>(&holds_all_locks));
  dl_iterate_phdr(note_variables, &lowest);
  return round_up(thread_token() - lowest, page_bytes());
}

/// Sanitizers and Valgrind have work of their own in each thread: a sanitizer with data that
/// pthread_create() makes, Valgrind with system calls that this thread may not make.
bool is_watched() {
  const char* const preloaded = environment("LD_PRELOAD");
  return &__sanitizer_print_stack_trace != nullptr ||
         (preloaded != nullptr && strstr(preloaded, "/vgpreload_") != nullptr);
}

constexpr sock_filter allow_call(unsigned number, unsigned char calls_after) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, calls_after, 0);
}

/// Leaves the thread the system calls that it needs. setuid() and its like, which libc carries out
/// in each of its threads, do not reach this one: it must be of no use to an attacker.
bool confine() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 8),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      allow_call(SYS_madvise, 7),
      allow_call(SYS_munmap, 6),
      allow_call(SYS_futex, 5),
      allow_call(SYS_clock_gettime, 4),
      allow_call(SYS_clock_nanosleep, 3),
      allow_call(SYS_restart_syscall, 2),  // after the process was stopped
      allow_call(SYS_exit, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  return syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

int run(void* /*unused*/) {
  syscall(SYS_prctl, PR_SET_NAME, thread.name, 0, 0, 0);
  if (confine()) thread.body();
  return 0;
}

}  // namespace

bool prepare_own_thread() {
  if (!is_for_this_processor || is_watched()) return false;
  const std::size_t variables = variables_bytes();
  if (variables > most_variables_bytes) return false;
  const std::size_t guard = page_bytes();
  const std::size_t bytes =
      round_up(guard + stack_bytes + variables + descriptor_bytes, page_bytes());
  auto* const start = static_cast<char*>(map(bytes, page_bytes()));
  if (start == nullptr) return false;
  mprotect(start, guard, PROT_NONE);
  thread.start = start;
  thread.bytes = bytes;
  return true;
}

bool start_own_thread(const char* name, void (*body)()) {
  const int saved = errno;
  char* const stack = thread.start + page_bytes();
  // A forked child finds what its parent's thread left.
  if (!decommit(stack, thread.bytes - page_bytes())) memset(stack, 0, thread.bytes - page_bytes());
  thread.name = name;
  thread.body = body;
  char* const self = descriptor();
  *reinterpret_cast<char**>(self) = self;         // as the ABI wants it
  *reinterpret_cast<char**>(self + 0x10) = self;  // as glibc wants it
  // The stack protector's number, and the one that libc hides its pointers with.
  memcpy(self + 0x28, reinterpret_cast<const char*>(thread_token()) + 0x28, 16);
  // Blocked by the kernel's own call: libc's leaves out the signals that it uses itself.
  const std::uint64_t every = ~std::uint64_t{0};
  std::uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, sizeof before);
  own_thread_exists.store(true, relaxed);  // before the thread asks whether it is alone
  const int made = clone(run, stack + stack_bytes,
                         CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                             CLONE_SYSVSEM | CLONE_SETTLS,
                         nullptr, nullptr, self, nullptr);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  if (made <= 0) own_thread_exists.store(false, relaxed);
  errno = saved;
  return made > 0;
}

bool has_own_thread() {
  return own_thread_exists.load(relaxed);
}

void forget_own_thread() {
  own_thread_exists.store(false, relaxed);
}

void sleep_ms(std::uint64_t ms) {
  const int saved = errno;
  const struct timespec t = {static_cast<time_t>(ms / 1000),
                             static_cast<long>(ms % 1000 * 1000000)};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, nullptr);
  errno = saved;
}

}  // namespace heapsmith::os
