// The OS contract on Linux: mmap, munmap, mremap, madvise, futex.
//
// A filter of system calls (seccomp) may kill the process for a call that it does not list, and
// many list what glibc's malloc needs. So the heap makes its other calls while the process starts,
// or for settings that the user chose: docs/deployment.md lists them all. Functions of libc that
// are points of cancellation are called through syscall(), which is not one: the caller may hold a
// lock.
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "os/os.hpp"
#include "os/this_thread.hpp"

extern "C" char** environ;
/// The loader's: where the kernel put argc, argv and the environment.
extern "C" [[gnu::weak, gnu::visibility("default")]] void* __libc_stack_end;

namespace heapsmith::os {
namespace {

/// The kernel's refusals are reported by return value alone: errno is the program's.
struct keep_errno {
  int saved = errno;
  ~keep_errno() { errno = saved; }
};

constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr std::uint64_t TiB = 1024 * GiB;
constexpr unsigned free_holes = 4;

// The hole below position-independent programs, which begin at 0x555555554000 or above. It holds
// memory of the program for ThreadSanitizer, AddressSanitizer and MemorySanitizer alike, none of
// which maps anything here: docs/design/spans.md.
constexpr std::uint64_t low_hole = 0x5500'0000'0000;
constexpr std::uint64_t low_hole_shift = 16 * MiB;
constexpr std::uint64_t low_hole_room = 256 * GiB;
static_assert(low_hole + 2048 * low_hole_shift + low_hole_room < 0x5555'5555'4000);

constexpr int map_flags = MAP_PRIVATE | MAP_ANONYMOUS;

// A build of the tests takes its pages to be larger than the kernel's: what may be done with a page
// of 64 KiB may be done with the smaller ones in it.
#ifdef HEAPSMITH_PRETENDED_PAGE
constexpr std::size_t least_page_bytes = HEAPSMITH_PRETENDED_PAGE;
#else
constexpr std::size_t least_page_bytes = 0;
#endif

std::size_t kernel_page_bytes() {
  const unsigned long reported = getauxval(AT_PAGESZ);
  return reported == 0 ? 4 * KiB : reported;
}

// Calls that each keep errno.

void* map_near(void* hint, std::size_t bytes, int protection, int flags) {
  const keep_errno keep;
  void* const p = mmap(hint, bytes, protection, flags, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

bool end_mapping(void* p, std::size_t bytes) {
  const keep_errno keep;
  return munmap(p, bytes) == 0;
}

bool advise(void* p, std::size_t bytes, int advice) {
  const keep_errno keep;
  return madvise(p, bytes, advice) == 0;
}

/// 0, or the number of the error.
int call_futex(const void* word, int operation, std::uint32_t value, void* other = nullptr) {
  const keep_errno keep;
  return syscall(SYS_futex, word, operation, value, nullptr, other, 0) < 0 ? errno : 0;
}

/// Maps with an alignment the kernel does not promise: maps more, then gives both ends back.
void* map_aligned(std::size_t bytes, std::size_t align, int protection, int flags) {
  const std::size_t page = least_page_bytes == 0 ? page_bytes() : kernel_page_bytes();
  if (align <= page) return map_near(nullptr, bytes, protection, flags);
  const std::size_t padded = bytes + align - page;
  if (padded < bytes) return nullptr;
  char* p = static_cast<char*>(map_near(nullptr, padded, protection, flags));
  if (p == nullptr) return nullptr;
  const std::size_t lead =
      round_up(reinterpret_cast<std::uintptr_t>(p), align) - reinterpret_cast<std::uintptr_t>(p);
  const std::size_t tail = padded - lead - bytes;
  if (lead != 0) end_mapping(p, lead);
  if (tail != 0) end_mapping(p + lead + bytes, tail);
  return p + lead;
}

}  // namespace

std::size_t page_bytes() {
  static constinit atomic<std::size_t> bytes{0};  // racing first calls store the same value
  std::size_t known = bytes.load(relaxed);
  if (known == 0) [[unlikely]] {
    known = std::max(kernel_page_bytes(), least_page_bytes);
    bytes.store(known, relaxed);
  }
  return known;
}

std::size_t physical_bytes() {
  const keep_errno keep;
  struct sysinfo info;
  return sysinfo(&info) == 0 ? static_cast<std::size_t>(info.totalram) * info.mem_unit : 0;
}

bool address_space_is_limited() {
  const keep_errno keep;
  struct rlimit limit;
  return (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
}

void* find_hole(std::size_t bytes, std::size_t align, unsigned attempt) {
  if (attempt < free_holes) {
    // Far from where the kernel puts mappings (from the top down) and programs with their brk heap:
    // nothing else is mapped here by chance. Different in each process.
    std::uint64_t bits = 0;
    if (const unsigned long random = getauxval(AT_RANDOM); random != 0)
      memcpy(&bits, reinterpret_cast<const void*>(random), sizeof bits);
    const std::uint64_t at = attempt == 0 && bytes <= low_hole_room
                                 ? low_hole + bits % 2048 * low_hole_shift
                                 : 20 * TiB + bits % 2048 * 16 * GiB + attempt * 2 * TiB;
    return reinterpret_cast<void*>(round_up(at, align));
  }
  void* p = map_aligned(bytes, align, PROT_NONE, reserve_flags);
  if (p != nullptr) end_mapping(p, bytes);
  return p;
}

bool map_at(void* p, std::size_t bytes) {
  if (p == nullptr) return false;
  // The address is a hint, which the kernel follows if nothing is there. MAP_FIXED_NOREPLACE says
  // the same, but filters that look at the flags know those of glibc's malloc.
  void* const got = map_near(p, bytes, PROT_READ | PROT_WRITE, map_flags);
  if (got == p) return true;
  if (got != nullptr) end_mapping(got, bytes);
  return false;
}

bool decommit(void* p, std::size_t bytes) {
  // Locked memory (mlockall) refuses the first advice, and Linux before 5.18 knows no second: then
  // nothing is given back, and the caller must not trust zeroes.
  constexpr int dontneed_locked = 24;  // MADV_DONTNEED_LOCKED, which older headers lack
  return advise(p, bytes, MADV_DONTNEED) || advise(p, bytes, dontneed_locked);
}

void* map(std::size_t bytes, std::size_t align) {
  return map_aligned(bytes, align, PROT_READ | PROT_WRITE, map_flags);
}

bool unmap(void* p, std::size_t bytes) {
  if (end_mapping(p, bytes)) return true;
  advise(p, bytes, MADV_DONTNEED);
  return false;
}

void* remap(void* p, std::size_t old_bytes, std::size_t new_bytes, bool& lacks_room) {
  if (new_bytes < old_bytes)
    return unmap(static_cast<char*>(p) + new_bytes, old_bytes - new_bytes) ? p : nullptr;
  const keep_errno keep;
  void* const q = mremap(p, old_bytes, new_bytes, MREMAP_MAYMOVE);
  if (q != MAP_FAILED) return q;
  lacks_room = errno == ENOMEM;
  return nullptr;
}

void populate(void* p, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  advise(p, bytes, MADV_POPULATE_WRITE);
#else
  static_cast<void>(p), static_cast<void>(bytes);
#endif
}

bool reads_nonzero(const std::uint32_t* p) {
  // Moves none of the threads that wait at `p` to another word, if the word is 0; else says EAGAIN.
  std::uint32_t other = 0;
  return call_futex(p, FUTEX_CMP_REQUEUE_PRIVATE, 0, &other) == EAGAIN;
}

void advise_huge_pages(void* p, std::size_t bytes, bool wanted) {
  advise(p, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

bool is_mapped(const void* p) {
  auto* const page = const_cast<void*>(p);
  if (!map_at(page, page_bytes())) return true;
  unmap(page, page_bytes());
  return false;
}

std::uint32_t* map_fork_detector() {
  void* const p = map(page_bytes(), page_bytes());
  if (p == nullptr) return nullptr;
  if (advise(p, page_bytes(), MADV_WIPEONFORK)) return static_cast<std::uint32_t*>(p);
  end_mapping(p, page_bytes());
  return nullptr;
}

std::uint64_t now_ms() {
  const keep_errno keep;
  struct timespec t = {};  // where the vDSO does not serve the call, it can be refused
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

void wait(const void* word, std::uint32_t expected) {
  call_futex(word, FUTEX_WAIT_PRIVATE, expected);
}

void wake_one(const void* word) {
  call_futex(word, FUTEX_WAKE_PRIVATE, 1);
}

namespace {
constinit atomic<void (*)()> waiting_call{nullptr};
}

void before_waiting() {
  // acquire pairs with the release below: data of the call was written before the call was set.
  if (auto* call = waiting_call.load(acquire)) call();
}

void set_before_waiting(void (*call)()) {
  waiting_call.store(call, release);
}

int write_all(int fd, const char* text, std::size_t length) {
  const keep_errno keep;
  while (length != 0) {
    const long wrote = syscall(SYS_write, fd, text, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    if (wrote == 0) return EIO;
    text += wrote;
    length -= static_cast<std::size_t>(wrote);
  }
  return 0;
}

void abort() {
  ::abort();
}

std::uint32_t give_thread_number() {
  // Counted here, not a number of the kernel's: those may be reused in a forked child.
  static constinit atomic<std::uint32_t> threads{0};
  given_thread_number = threads.fetch_add(1, relaxed) % 0x7fffffff + 1;  // only uniqueness matters
  return given_thread_number;
}

bool is_privileged() {
  return getauxval(AT_SECURE) != 0;
}

const char* program_path() {
  const unsigned long path = getauxval(AT_EXECFN);
  return path == 0 ? "?" : reinterpret_cast<const char*>(path);
}

const char* environment(const char* name) {
  for (const char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char *e = *entry, *n = name;
    while (*n != '\0' && *e == *n) ++e, ++n;
    if (*n == '\0' && *e == '=') return e + 1;
  }
  return nullptr;
}

const char* const* first_environment() {
  if (environ != nullptr) return environ;
  // Sanitizers allocate before libc has begun.
  if (&__libc_stack_end == nullptr || __libc_stack_end == nullptr) return nullptr;
  const auto* const start = static_cast<const char* const*>(__libc_stack_end);
  return start + reinterpret_cast<std::uintptr_t>(*start) + 2;  // argc, argv, null
}

}  // namespace heapsmith::os
