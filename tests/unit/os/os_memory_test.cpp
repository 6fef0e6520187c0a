// The contract's memory: holes, map_at, decommit, map, remap, and what each promises about
// contents.
#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/units.hpp"
#include "os/os.hpp"
#include "support/child.hpp"
#include "support/pages.hpp"

namespace heapsmith::os {
namespace {

using test::is_mapped;
using test::is_zero;
using test::resident_bytes;

constexpr std::size_t alignments[] = {4 * KiB, 64 * KiB, 1 * MiB, 64 * MiB};

bool is_aligned(const void* p, std::size_t align) {
  return reinterpret_cast<std::uintptr_t>(p) % align == 0;
}

constexpr unsigned attempts = 8;  // the first ones need no help of the kernel, the last ones do

TEST(Hole, IsAlignedUnusedAndCanBeMappedOn) {
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    char* hole = static_cast<char*>(find_hole(GiB, 64 * KiB, attempt));
    ASSERT_NE(hole, nullptr) << attempt;
    EXPECT_TRUE(is_aligned(hole, 64 * KiB));
    const bool in_use = is_mapped(hole);
    if (!map_at(hole, MiB))
      continue;  // a tool's shadow may lie there: then another attempt is made
    EXPECT_FALSE(in_use);
    EXPECT_TRUE(map_at(hole + MiB, MiB)) << "it goes on where it ended";
    EXPECT_TRUE(is_zero(hole, 2 * MiB));
    memset(hole, 1, 2 * MiB);
    EXPECT_FALSE(is_mapped(hole + 2 * MiB));
    unmap(hole, 2 * MiB);
  }
}

TEST(Hole, OneOfTheAttemptsSucceedsUnderEveryTool) {
  bool mapped = false;
  for (unsigned attempt = 0; attempt < attempts && !mapped; ++attempt) {
    void* hole = find_hole(GiB, 64 * KiB, attempt);
    mapped = hole != nullptr && map_at(hole, MiB);
    if (mapped) unmap(hole, MiB);
  }
  EXPECT_TRUE(mapped);
}

TEST(MapAt, TakesNothingThatIsInUse) {
  const std::size_t page = page_bytes();
  char* p = static_cast<char*>(map(8 * page, page));
  unmap(p, 4 * page);
  p[5 * page] = 7;
  errno = 77;
  EXPECT_FALSE(map_at(p + 5 * page, page));
  EXPECT_FALSE(map_at(p + 2 * page, 4 * page)) << "half of it is in use";
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(p[5 * page], 7);
  EXPECT_FALSE(is_mapped(p + 3 * page));
  EXPECT_TRUE(map_at(p + 2 * page, 2 * page));
  EXPECT_TRUE(is_zero(p + 2 * page, 2 * page));
  unmap(p + 2 * page, 6 * page);
}

TEST(Map, RefusesImpossibleRequests) {
  errno = 77;
  EXPECT_EQ(map(SIZE_MAX - 8 * KiB + 1, 64 * KiB), nullptr);  // the padding overflows
  EXPECT_EQ(map(MiB, std::size_t{1} << 63), nullptr);
  EXPECT_EQ(map(std::size_t{1} << 60, 4 * KiB), nullptr);
  EXPECT_EQ(find_hole(std::size_t{1} << 60, 64 * KiB, attempts), nullptr);
  EXPECT_EQ(errno, 77);
}

TEST(Map, GivesThePaddingBack) {
  char* p = static_cast<char*>(map(MiB, 256 * MiB));
  ASSERT_NE(p, nullptr);
  unmap(p, MiB);
  EXPECT_FALSE(is_mapped(p));
  // The additional pages before and behind must have been unmapped at once.
  void* q = map(MiB, 256 * MiB);
  EXPECT_EQ(q, p);
  unmap(q, MiB);
}

TEST(Decommit, GivesMemoryBackAndReadsZeroAfter) {
  char* p = static_cast<char*>(map(MiB, 64 * KiB));
  memset(p, 0xa5, MiB);
  EXPECT_EQ(resident_bytes(p, MiB), MiB);
  ASSERT_TRUE(decommit(p + 64 * KiB, 128 * KiB));
  EXPECT_EQ(resident_bytes(p, MiB), MiB - 128 * KiB);
  EXPECT_TRUE(is_zero(p + 64 * KiB, 128 * KiB));
  EXPECT_EQ(p[64 * KiB - 1], char(0xa5));
  EXPECT_EQ(p[192 * KiB], char(0xa5));
  unmap(p, MiB);
}

TEST(Decommit, GivesLockedMemoryBackIfTheKernelCan) {
  char* p = static_cast<char*>(map(64 * KiB, 4 * KiB));
  memset(p, 1, 64 * KiB);
  // Not mlock(): sanitizers take that for their own and do nothing.
  if (syscall(SYS_mlock, p, 64 * KiB) != 0) GTEST_SKIP() << "this user may lock no memory";
  const bool can = syscall(SYS_madvise, p, 64 * KiB, 24) == 0;  // MADV_DONTNEED_LOCKED
  memset(p, 1, 64 * KiB);
  errno = 77;
  EXPECT_EQ(decommit(p, 64 * KiB), can);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(is_zero(p, 64 * KiB), can);
  unmap(p, 64 * KiB);
}

TEST(Map, IsAlignedAndZeroed) {
  for (const std::size_t align : alignments) {
    char* p = static_cast<char*>(map(2 * MiB, align));
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, align)) << align;
    EXPECT_TRUE(is_zero(p, 2 * MiB));
    memset(p, 1, 2 * MiB);
    unmap(p, 2 * MiB);
    EXPECT_FALSE(is_mapped(p));
  }
}

TEST(Remap, KeepsContentsGrowingAndShrinking) {
  const std::size_t page = page_bytes();
  bool lacks_room = false;
  char* p = static_cast<char*>(map(2 * page, page));
  p[0] = 1;
  p[2 * page - 1] = 2;
  p = static_cast<char*>(remap(p, 2 * page, 5000 * page, lacks_room));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(p[2 * page - 1], 2);
  EXPECT_TRUE(is_zero(p + 2 * page, 4998 * page));
  char* q = static_cast<char*>(remap(p, 5000 * page, page, lacks_room));
  ASSERT_EQ(q, p);
  EXPECT_EQ(q[0], 1);
  EXPECT_FALSE(is_mapped(q + page));
  EXPECT_FALSE(lacks_room);
  unmap(q, page);
}

TEST(Remap, LeavesTheOldMappingWhenRefused) {
  bool lacks_room = false;
  char* p = static_cast<char*>(map(page_bytes(), page_bytes()));
  *p = 7;
  errno = 77;
  EXPECT_EQ(remap(p, page_bytes(), std::size_t{1} << 60, lacks_room), nullptr);
  EXPECT_EQ(remap(p, page_bytes(), std::size_t{1} << 46, lacks_room), nullptr);
  EXPECT_TRUE(lacks_room) << "so much would fit into the address space, but not into the memory";
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(*p, 7);
  unmap(p, page_bytes());
}

TEST(Remap, TellsPagesThatDoNotMoveFromALackOfRoom) {
  const std::size_t page = page_bytes();
  char* p = static_cast<char*>(map(8 * page, page));
  *p = 7;
  ASSERT_EQ(mprotect(p + 2 * page, page, PROT_READ), 0) << "now there are three mappings";
  bool lacks_room = true;
  EXPECT_EQ(remap(p, 8 * page, 4000 * page, lacks_room), nullptr);
  EXPECT_FALSE(lacks_room);
  EXPECT_EQ(*p, 7);
  EXPECT_EQ(remap(p, 8 * page, page, lacks_room), p) << "shrinking is no move";
  EXPECT_FALSE(is_mapped(p + page));
  unmap(p, page);
}

TEST(IsMapped, IsAskedWithoutChangingAnything) {
  const std::size_t page = page_bytes();
  char* p = static_cast<char*>(map(3 * page, page));
  unmap(p + page, page);
  *p = 7;
  errno = 77;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(os::is_mapped(p));
    EXPECT_FALSE(os::is_mapped(p + page));
    EXPECT_TRUE(os::is_mapped(p + 2 * page));
  }
  EXPECT_EQ(*p, 7);
  EXPECT_EQ(errno, 77);
  unmap(p, page);
  unmap(p + 2 * page, page);
}

TEST(ReadsNonzero, IsAskedAtAnyAddress) {
  const std::size_t page = page_bytes();
  char* p = static_cast<char*>(map(2 * page, page));
  auto* const word = reinterpret_cast<std::uint32_t*>(p);
  errno = 77;
  EXPECT_FALSE(reads_nonzero(word));
  EXPECT_EQ(resident_bytes(p + page, page), 0u);
  *word = 1;
  EXPECT_TRUE(reads_nonzero(word));
  ASSERT_EQ(mprotect(p, page, PROT_NONE), 0);
  EXPECT_FALSE(reads_nonzero(word)) << "it cannot be read";
  unmap(p, 2 * page);
  EXPECT_FALSE(reads_nonzero(word)) << "nothing is there";
  EXPECT_FALSE(reads_nonzero(nullptr));
  EXPECT_EQ(errno, 77);
}

TEST(Populate, BacksMemoryWithPages) {
  char* p = static_cast<char*>(map(4 * MiB, 4 * KiB));
  EXPECT_EQ(resident_bytes(p, 4 * MiB), 0u);
  populate(p, 4 * MiB);
  EXPECT_EQ(resident_bytes(p, 4 * MiB), 4 * MiB);
  unmap(p, 4 * MiB);
}

TEST(ForkDetector, IsWipedInEveryKindOfChild) {
  std::uint32_t* word = map_fork_detector();
  ASSERT_NE(word, nullptr);
  *word = 1;
  EXPECT_EQ(test::in_child([&] { return *word == 0; }), 0);
  const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(*word == 0 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(static_cast<pid_t>(child), &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*word, 1u);
}

}  // namespace
}  // namespace heapsmith::os
