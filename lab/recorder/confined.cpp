// The calls by which a process locks itself in: another root, another user, other mounts, a filter
// of system calls. The recorder prepares for it, and then passes the call on.
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>

#include "record/calls.hpp"

#define HS_PASSED_ON extern "C" __attribute__((visibility("default"), used))

using namespace heapsmith::recorder;

namespace {

void prepare(confinement to) {
  const own_calls mine(here);
  prepare_for(to);
}

/// Looked up at load: later, a caller may hold the dynamic linker's locks, or have shared its
/// memory by vfork().
#define HS_NEXT(name) constinit decltype(&::name) next_##name = nullptr

HS_NEXT(chroot);
HS_NEXT(unshare);
HS_NEXT(setns);
HS_NEXT(setuid);
HS_NEXT(seteuid);
HS_NEXT(setreuid);
HS_NEXT(setresuid);
HS_NEXT(setfsuid);

using long_call = long(long, long, long, long, long, long, long);
using prctl_call = int(int, unsigned long, unsigned long, unsigned long, unsigned long);
using clone_call = int(int (*)(void*), void*, int, void*, void*, void*, void*);
using capset_call = int(void*, const void*);
using pivot_root_call = int(const char*, const char*);
constinit long_call* next_syscall = nullptr;
constinit prctl_call* next_prctl = nullptr;
constinit clone_call* next_clone = nullptr;
constinit capset_call* next_capset = nullptr;
constinit pivot_root_call* next_pivot_root = nullptr;

template <class F>
void find(F*& to, const char* name) {
  if (to == nullptr) to = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void find_all() {
  find(next_chroot, "chroot");
  find(next_unshare, "unshare");
  find(next_setns, "setns");
  find(next_setuid, "setuid");
  find(next_seteuid, "seteuid");
  find(next_setreuid, "setreuid");
  find(next_setresuid, "setresuid");
  find(next_setfsuid, "setfsuid");
  find(next_prctl, "prctl");
  find(next_clone, "clone");
  find(next_capset, "capset");
  find(next_pivot_root, "pivot_root");
  find(next_syscall, "syscall");
}

[[gnu::constructor]] void find_at_load() {
  const own_calls mine(here);
  find_all();
}

/// Returns: the next function, which an initializer that runs before ours may ask for.
template <class F>
F* next(F* const& known) {
  if (known == nullptr) [[unlikely]]
    find_at_load();
  return known;
}

/// A change to the clock of the processor. The kernel forbids it in the strict mode, too.
enum class clock_change { none, forbids, allows };

clock_change change_of_prctl(int option, unsigned long a) {
  const bool is_strict = option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT;
  if (is_strict || (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)) return clock_change::forbids;
  return option == PR_SET_TSC && a == PR_TSC_ENABLE ? clock_change::allows : clock_change::none;
}

clock_change change_of_call(long number, long a, long b) {
  if (number == SYS_prctl)
    return change_of_prctl(static_cast<int>(a), static_cast<unsigned long>(b));
  const bool is_strict = number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT;
  return is_strict ? clock_change::forbids : clock_change::none;
}

/// Returns: call(). The clock stops before it, or goes on behind it.
template <class F>
auto with_clock(clock_change change, F call) {
  bool is_stopped_now = false;
  if (change == clock_change::forbids) {
    const own_calls mine(here);
    is_stopped_now = stop_clock();
  }
  const auto result = call();
  // A call that failed has changed nothing.
  if (result == 0 ? change == clock_change::allows : is_stopped_now) resume_clock();
  return result;
}

void before_prctl(int option) {
  if (option == PR_SET_SECCOMP) prepare(confinement::filtered);
}

void before_namespaces(std::uint64_t flags) {
  if ((flags & CLONE_NEWNS) != 0) prepare(confinement::jailed);
}

void before_system_call(long number, long a) {
  switch (number) {
    case SYS_seccomp:
      if (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER)
        prepare(confinement::filtered);
      break;
    case SYS_prctl:
      before_prctl(static_cast<int>(a));
      break;
    case SYS_clone:
    case SYS_unshare:
      before_namespaces(static_cast<std::uint64_t>(a));
      break;
    case SYS_clone3:
      if (a != 0) before_namespaces(*reinterpret_cast<const std::uint64_t*>(a));
      break;
    case SYS_chroot:
    case SYS_pivot_root:
    case SYS_setns:
    case SYS_setuid:
    case SYS_setreuid:
    case SYS_setresuid:
    case SYS_setfsuid:
    case SYS_capset:
    case SYS_landlock_restrict_self:
      prepare(confinement::jailed);
      break;
    default:
      break;
  }
}

}  // namespace

HS_PASSED_ON int chroot(const char* path) noexcept {
  prepare(confinement::jailed);
  return next(next_chroot)(path);
}

HS_PASSED_ON int pivot_root(const char* root, const char* old) noexcept {
  prepare(confinement::jailed);
  return next(next_pivot_root)(root, old);
}

HS_PASSED_ON int unshare(int flags) noexcept {
  before_namespaces(static_cast<std::uint64_t>(flags));
  return next(next_unshare)(flags);
}

HS_PASSED_ON int setns(int fd, int type) noexcept {
  prepare(confinement::jailed);
  return next(next_setns)(fd, type);
}

HS_PASSED_ON int setuid(uid_t user) noexcept {
  prepare(confinement::jailed);
  return next(next_setuid)(user);
}

HS_PASSED_ON int seteuid(uid_t user) noexcept {
  prepare(confinement::jailed);
  return next(next_seteuid)(user);
}

HS_PASSED_ON int setreuid(uid_t real, uid_t effective) noexcept {
  prepare(confinement::jailed);
  return next(next_setreuid)(real, effective);
}

HS_PASSED_ON int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  prepare(confinement::jailed);
  return next(next_setresuid)(real, effective, saved);
}

HS_PASSED_ON int setfsuid(uid_t user) noexcept {
  prepare(confinement::jailed);
  return next(next_setfsuid)(user);
}

HS_PASSED_ON int capset(void* header, const void* data) noexcept {
  prepare(confinement::jailed);
  return next(next_capset)(header, data);
}

// The functions below take a variable number of arguments. Those that were not passed are read from
// registers or above the return address, and are passed on as they are.

extern "C" __attribute__((visibility("default"), used)) int
recorded_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
               unsigned long d) asm("prctl");
int recorded_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  return with_clock(change_of_prctl(option, a), [=] {
    before_prctl(option);
    return next(next_prctl)(option, a, b, c, d);
  });
}

extern "C" __attribute__((visibility("default"), used)) int
recorded_clone(int (*f)(void*), void* stack, int flags, void* argument, void* parent, void* tls,
               void* child) asm("clone");
int recorded_clone(int (*f)(void*), void* stack, int flags, void* argument, void* parent, void* tls,
                   void* child) {
  before_namespaces(static_cast<std::uint64_t>(static_cast<unsigned>(flags)));
  return next(next_clone)(f, stack, flags, argument, parent, tls, child);
}

extern "C" __attribute__((visibility("default"), used)) long
recorded_syscall(long number, long a, long b, long c, long d, long e, long f) asm("syscall");
long recorded_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return with_clock(change_of_call(number, a, b), [=] {
    before_system_call(number, a);
    return next(next_syscall)(number, a, b, c, d, e, f);
  });
}
