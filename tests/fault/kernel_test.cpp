// A kernel that refuses one call for ever, with each likely error: the library over its real OS
// layer, behind a filter of system calls.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "heapsmith/heapsmith.h"
#include "scenarios.hpp"

namespace heapsmith::fault {
namespace {

struct system_call {
  const char* name;
  unsigned number;
  bool is_called = false;  // after the start, in the default settings
};

/// What src/os calls, but for mmap() and futex(): without the one there is no memory, and without
/// the other libc's threads abort.
constexpr system_call calls[] = {
    {"mremap", SYS_mremap, true},
    {"madvise", SYS_madvise, true},
    {"munmap", SYS_munmap, true},
    {"mprotect", SYS_mprotect, true},
    {"prlimit64", SYS_prlimit64},
    {"sysinfo", SYS_sysinfo},
    {"openat", SYS_openat},
    {"prctl", SYS_prctl},
    {"clock_gettime", SYS_clock_gettime},
};

constexpr int errors[] = {EPERM, EINVAL, ENOSYS, EFAULT, ENOMEM};

void PrintTo(const system_call& c, std::ostream* out) {
  *out << c.name;
}

/// From here on the kernel answers this call of the process with the error.
bool refuse(unsigned number, int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/// The statuses with which a child ends.
enum status : int { fine = 0, no_filters = 3 };

/// In a child: every scenario that works with memory that exists, behind the filter.
[[noreturn]] void work_behind_filter(const system_call& call, int error) {
  alarm(100);
  world w;
  bool is_first = true;
  for (const scenario& s : scenarios()) {
    // libc protects the guard pages of stacks.
    if (s.is_refused || (s.starts_threads && call.number == SYS_mprotect)) continue;
    s.before(w);
    if (is_first && !refuse(call.number, error)) _exit(no_filters);
    is_first = false;
    s.act(w);
    HS_EXPECT(w.refused() == 0);
    w.drop_all();
  }
  w.get(1000);
  hs_purge();
  w.check();
  _exit(fine);
}

class Kernel : public testing::TestWithParam<system_call> {};

TEST_P(Kernel, RefusesForEverWhatIsNoMemory) {
  for (const int error : errors) {
    if (error != errors[0] && !GetParam().is_called) break;
    const pid_t child = fork();
    if (child == 0) work_behind_filter(GetParam(), error);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0) continue;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == no_filters)
      GTEST_SKIP() << "this kernel has no filters";
    EXPECT_EQ(ended, 0) << "error " << error;
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, Kernel, testing::ValuesIn(calls),
                         [](const auto& info) { return std::string(info.param.name); });

/// Direct maps that mremap() does not move as a whole, within a limit or an account.
class UnevenMap : public testing::Test {
 protected:
  static constexpr std::size_t M = std::size_t{1} << 20;

  /// A block in three mappings, filled throughout.
  static unsigned char* make(hs_heap* heap, std::size_t bytes) {
    auto* const p = static_cast<unsigned char*>(heap != nullptr ? hs_heap_malloc(heap, bytes)
                                                                : hs_malloc(bytes));
    EXPECT_NE(p, nullptr);
    memset(p, 7, bytes);
    EXPECT_EQ(madvise(p + 8 * M, M, MADV_DONTDUMP), 0);
    return p;
  }

  static bool is_filled(const unsigned char* p, std::size_t bytes) {
    return p[0] == 7 && memcmp(p, p + 1, bytes - 1) == 0;
  }

  static hs_statistics statistics() {
    hs_statistics s;
    s.size = sizeof s;
    EXPECT_EQ(hs_stats(&s), 0);
    return s;
  }
};

TEST_F(UnevenMap, IsCountedOnceWhenItHasGrown) {
  unsigned char* p = make(nullptr, 40 * M);
  p = static_cast<unsigned char*>(hs_realloc(p, 70 * M));
  ASSERT_NE(p, nullptr);
  EXPECT_TRUE(is_filled(p, 40 * M));
  EXPECT_EQ(hs_malloc_usable_size(p), 70 * M);
  EXPECT_EQ(statistics().in_use_bytes, 70 * M);
  p = static_cast<unsigned char*>(hs_realloc(p, 90 * M));  // now the kernel moves it
  ASSERT_NE(p, nullptr);
  EXPECT_TRUE(is_filled(p, 40 * M));
  hs_free(p);
  EXPECT_EQ(statistics().in_use_bytes, 0u);
}

TEST_F(UnevenMap, IsCopiedAFewTimesAsItGrows) {
  unsigned char* p = make(nullptr, 40 * M);
  unsigned moves = 0;
  for (std::size_t bytes = 41 * M; bytes <= 120 * M; bytes += M) {
    auto* const q = static_cast<unsigned char*>(hs_realloc(p, bytes));
    ASSERT_NE(q, nullptr);
    moves += q != p;
    if (q != p) {  // its copy is one mapping
      EXPECT_EQ(madvise(q + 8 * M, M, MADV_DONTDUMP), 0);
    }
    p = q;
  }
  EXPECT_LE(moves, 4u);
  EXPECT_TRUE(is_filled(p, 40 * M));
  EXPECT_EQ(statistics().in_use_bytes, 120 * M);
  hs_free(p);
}

TEST_F(UnevenMap, IsMovedWithoutItsRoom) {
  auto* p = static_cast<unsigned char*>(hs_realloc(hs_malloc(40 * M), 41 * M));
  memset(p, 7, M);
  EXPECT_EQ(madvise(p, 41 * M, MADV_DONTFORK), 0);  // not for the room
  p = static_cast<unsigned char*>(hs_realloc(p, 120 * M));
  const pid_t child = fork();
  if (child == 0) _exit(msync(p, M, MS_ASYNC) == 0);  // a copy would be there
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the block was copied";
  EXPECT_TRUE(is_filled(p, M));
  hs_free(p);
}

TEST_F(UnevenMap, StaysInItsHeap) {
  hs_heap* const heap = hs_heap_create();
  unsigned char* p = make(heap, 40 * M);
  p = static_cast<unsigned char*>(hs_realloc(p, 70 * M));
  ASSERT_NE(p, nullptr);
  EXPECT_TRUE(is_filled(p, 40 * M));
  EXPECT_GT(statistics().in_use_bytes, 69 * M);
  hs_heap_destroy(heap);  // with its block
  EXPECT_EQ(statistics().in_use_bytes, 0u);
}

TEST_F(UnevenMap, IsRefusedByALimitAndKeepsItsContents) {
  unsigned char* const p = make(nullptr, 40 * M);
  hs_set_limit(100 * M);
  errno = 0;
  EXPECT_EQ(hs_realloc(p, 70 * M), nullptr) << "both cannot be held while it is copied";
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_TRUE(is_filled(p, 40 * M));
  EXPECT_EQ(statistics().in_use_bytes, 40 * M);
  hs_set_limit(0);
  hs_free(p);
}

TEST_F(UnevenMap, PagesThatWereNeverTouchedTakeNoMemoryWhenItIsCopied) {
  auto* p = static_cast<unsigned char*>(hs_calloc(1, 256 * M));
  ASSERT_NE(p, nullptr);
  p[5] = 1;
  ASSERT_EQ(madvise(p + 8 * M, M, MADV_DONTDUMP), 0);
  p = static_cast<unsigned char*>(hs_realloc(p, 400 * M));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[5], 1);
  static unsigned char pages[400 * M / 4096];
  ASSERT_EQ(mincore(p, 400 * M, pages), 0);
  std::size_t with_memory = 0;
  for (const unsigned char page : pages) with_memory += page & 1U;
  EXPECT_LE(with_memory, 2 * M / 4096);
  hs_free(p);
}

}  // namespace
}  // namespace heapsmith::fault
