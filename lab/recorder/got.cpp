// Redirects calls. An entry is changed only if it has the address of the function that the recorder
// passes calls on to, or leads to the linker, which would put that there.
#include "got.hpp"

#include <errno.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "allocator.hpp"
#include "base/atomic.hpp"
#include "image.hpp"

// Functions of the program that tell of new files. Their own caller matters to them, so they are
// jumped to with its return address, after the entries were looked at.
#define HS_LOOKS_FIRST(name)                                                                       \
  extern "C" {                                                                                     \
  __attribute__((visibility("hidden"))) constinit std::uintptr_t hs_next_##name = 0;               \
  __attribute__((visibility("hidden"))) void hs_##name();                                          \
  }                                                                                                \
  asm(".pushsection .text\n.hidden hs_" #name "\n.globl hs_" #name "\n.type hs_" #name             \
      ", @function\nhs_" #name ":\n  push %rdi\n  push %rsi\n  push %rdx\n"                        \
      "  call hs_look_for_files\n  pop %rdx\n  pop %rsi\n  pop %rdi\n  jmp *hs_next_" #name        \
      "(%rip)\n.popsection\n");

#if defined(__x86_64__)
extern "C" __attribute__((visibility("hidden"), used)) void hs_look_for_files();
HS_LOOKS_FIRST(dlopen)
HS_LOOKS_FIRST(dlmopen)
HS_LOOKS_FIRST(dlsym)
HS_LOOKS_FIRST(dlvsym)

namespace heapsmith::recorder {
namespace {

constinit atomic<bool> is_redirecting{false};
constinit atomic<bool> are_redirected{false};
constinit atomic<unsigned long long> seen_loads{0};  // when the entries were redirected last

/// The recorder and the dynamic linker keep their entries, as does the kernel's file.
bool is_left(const image& file) {
  // 0 is the base of a program at a fixed address, and what is not known.
  const auto is_at = [&](unsigned long what) {
    return file.base() != 0 && file.base() == getauxval(what);
  };
  return !file || is_recorder(file) || is_at(AT_BASE) || is_at(AT_SYSINFO_EHDR);
}

/// Returns: whether the page can be written now. The kernel looks: a store would end the program.
bool is_writable(std::uintptr_t* entry) {
  std::uintptr_t value = *entry;
  const iovec from = {&value, sizeof value};
  const iovec to = {entry, sizeof value};
  return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof value;
}

bool exchange(std::uintptr_t* entry, std::uintptr_t from, std::uintptr_t to) {
  // relaxed: the linker's own stores are plain ones, and the functions were there before.
  return atomic_ref<std::uintptr_t>(*entry).compare_exchange_strong(from, to, relaxed);
}

/// Returns: whether the entry was changed.
bool set_entry(const image& file, std::uintptr_t* entry, std::uintptr_t from, std::uintptr_t to) {
  const auto at = reinterpret_cast<std::uintptr_t>(entry);
  if (!file.is_protected_later(at)) return exchange(entry, from, to);
  // Another thread is loading the file, and will protect it: it is looked at again later.
  if (is_writable(entry)) return false;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const where = reinterpret_cast<void*>(at / page * page);
  if (mprotect(where, page, PROT_READ | PROT_WRITE) != 0) return false;
  const bool is_set = exchange(entry, from, to);
  mprotect(where, page, PROT_READ);
  return is_set;
}

unsigned redirect(const image& file, bool makes) {
  unsigned redirected = 0;
  file.for_each_entry([&](const char* name, std::uintptr_t* entry, bool is_lazy) {
    for (const function& each : all_functions()) {
      if (each.makes != makes || each.next == 0 || each.own == 0) continue;
      if (strcmp(each.name, name) != 0) continue;
      const std::uintptr_t has = *static_cast<volatile std::uintptr_t*>(entry);
      bool is_same = has == each.next;
      if (!is_same && is_lazy && file.has(has)) {
        // It leads to the linker, unless it is a function of the file's own.
        is_same = !file.is_symbolic() && file.find(name) == 0;
      }
      if (is_same && set_entry(file, entry, has, each.own)) ++redirected;
    }
  });
  return redirected;
}

void restore(const image& file) {
  file.for_each_entry([&](const char*, std::uintptr_t* entry, bool) {
    const std::uintptr_t has = *static_cast<volatile std::uintptr_t*>(entry);
    for (const function& each : all_functions())
      if (each.own != 0 && has == each.own) set_entry(file, entry, has, each.next);
  });
}

/// Effects: puts the functions above before those of the linker, which they jump to.
void watch_linker() {
  const auto looks_first = [](const char* name, void (*own)(), std::uintptr_t& next) {
    function_named(name).own = reinterpret_cast<std::uintptr_t>(own);
    next = function_named(name).next;
  };
  looks_first("dlopen", hs_dlopen, hs_next_dlopen);
  looks_first("dlmopen", hs_dlmopen, hs_next_dlmopen);
  looks_first("dlsym", hs_dlsym, hs_next_dlsym);
  looks_first("dlvsym", hs_dlvsym, hs_next_dlvsym);
}

/// Returns: how many files the process has loaded since its begin.
unsigned long long loads() {
  unsigned long long n = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = info->dlpi_adds;
        return 1;
      },
      &n);
  return n;
}

unsigned redirect_all() {
  unsigned redirected = 0;
  // relaxed: a number of its own. First: a file that comes meanwhile counts as new.
  seen_loads.store(loads(), relaxed);
  // Frees first: a block whose allocation is recorded and whose free is not would never end.
  for (const bool makes : {false, true})
    for_each_image([&](const image& file) {
      if (!is_left(file)) redirected += redirect(file, makes);
    });
  return redirected;
}

}  // namespace

unsigned redirect_calls() {
  watch_linker();
  // acquire and release: one thread at a time redirects. Another one, in dlsym, does not wait.
  while (is_redirecting.exchange(true, acquire)) sched_yield();
  are_redirected.store(true, relaxed);  // relaxed: read only while is_redirecting is held
  const unsigned redirected = redirect_all();
  is_redirecting.store(false, release);
  return redirected;
}

void restore_calls() {
  while (is_redirecting.exchange(true, acquire)) sched_yield();
  are_redirected.store(false, relaxed);
  for_each_image([](const image& file) {
    if (!is_left(file)) restore(file);
  });
  is_redirecting.store(false, release);
}

}  // namespace heapsmith::recorder

void hs_look_for_files() {
  using namespace heapsmith::recorder;
  const int error = errno;
  if (loads() != seen_loads.load(heapsmith::relaxed) &&
      !is_redirecting.exchange(true, heapsmith::acquire)) {
    if (are_redirected.load(heapsmith::relaxed)) redirect_all();
    is_redirecting.store(false, heapsmith::release);
  }
  errno = error;
}
#else
namespace heapsmith::recorder {
unsigned redirect_calls() {
  return 0;
}
void restore_calls() {}
}  // namespace heapsmith::recorder
#endif
