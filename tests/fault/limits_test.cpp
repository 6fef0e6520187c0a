// Real limits: address space made scarce before and while a program runs, and locked memory.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "world.hpp"

namespace heapsmith::fault {
namespace {

constexpr std::size_t K = 1024, M = 1024 * K;

std::size_t address_space_used() {
  unsigned long pages = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f == nullptr || fscanf(f, "%lu", &pages) != 1) return SIZE_MAX;
  fclose(f);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void limit_address_space_to(std::size_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

void unlimit() {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

/// Takes blocks until there are no more; returns their bytes.
std::size_t exhaust(world& w, std::size_t bytes) {
  std::size_t got = 0;
  while (w.get(bytes)) got += bytes;
  return got;
}

TEST(AddressSpace, AlmostAllOfWhatIsAllowedCanBeUsed) {
  const std::size_t spare = 64 * M;
  limit_address_space_to(address_space_used() + spare);
  for (const std::size_t bytes : {1000 * K, 8 * K, 200 * K}) {
    world w;
    EXPECT_GT(exhaust(w, bytes), spare * 3 / 4) << bytes;
    w.drop_all();
    hs_purge();
  }
  unlimit();
  world().works_again();
}

/// Memory that was freed serves a block that needs a mapping of its own, or a longer run.
void freed_memory_serves_a_longer_block(int resource) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(resource, &before), 0);
  struct rlimit tight = before;
  tight.rlim_cur = address_space_used() + 300 * M;
  ASSERT_EQ(setrlimit(resource, &tight), 0);
  for (const std::size_t bytes : {250 * M, 20 * M}) {
    world w;
    for (std::size_t got = 0; got < 200 * M; got += M) ASSERT_TRUE(w.get(M));
    w.drop_all();
    EXPECT_TRUE(w.get(bytes)) << bytes;
    w.drop_all();
  }
  ASSERT_EQ(setrlimit(resource, &before), 0);
  world().works_again();
}

/// 200 MiB were freed before anything showed that address space is limited: they are still mapped.
class FreedBeforeTheLimit : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.get(40 * M));
    for (std::size_t got = 0; got < 200 * M; got += M) ASSERT_TRUE(world_.get(M));
    limit_address_space_to(address_space_used() + 50 * M);
    world_.thin_out(1000);  // only the direct map stays
  }
  void TearDown() override {
    unlimit();
    world_.works_again();
  }
  world world_;
};

TEST_F(FreedBeforeTheLimit, ServesADirectMap) {
  EXPECT_TRUE(world_.get(150 * M));
}

TEST_F(FreedBeforeTheLimit, ServesADirectMapThatGrows) {
  EXPECT_TRUE(world_.resize(190 * M));
}

TEST(AddressSpace, TheFreeTailGrowsIntoALongerBlock) {
  world w;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(w.get(M));
  for (int i = 0; i < 10; ++i) w.drop_last();
  limit_address_space_to(address_space_used() + 22 * M);
  EXPECT_TRUE(w.get(31 * M));  // at least 10 MiB are mapped already
  unlimit();
  w.works_again();
}

TEST(AddressSpace, FreedMemoryServesALongerBlock) {
  freed_memory_serves_a_longer_block(RLIMIT_AS);
}

TEST(AddressSpace, FreeSlabsAreNotInTheWayOfADirectMap) {
  limit_address_space_to(address_space_used() + 300 * M);
  world w;
  for (std::size_t got = 0; got < 200 * M; got += M) {
    ASSERT_TRUE(w.get(M - 100 * K));
    for (std::size_t small = 1000; small < 30 * K; small += 1000) ASSERT_TRUE(w.get(small));
  }
  w.drop_all();
  EXPECT_TRUE(w.get(250 * M));
  w.drop_all();
  unlimit();
  w.works_again();
}

TEST(AddressSpace, FreeSlabsAreNotInTheWayOfADirectMapThatGrows) {
  world w;
  ASSERT_TRUE(w.get(40 * M));
  for (std::size_t got = 0; got < 200 * M; got += M) {
    ASSERT_TRUE(w.get(M - 100 * K));
    for (std::size_t small = 1000; small < 30 * K; small += 1000) ASSERT_TRUE(w.get(small));
  }
  limit_address_space_to(address_space_used() + 50 * M);
  w.thin_out(100000);  // only the direct map stays
  EXPECT_TRUE(w.resize(190 * M));
  unlimit();
  w.works_again();
}

TEST(DataLimit, FreedMemoryServesALongerBlock) {
  freed_memory_serves_a_longer_block(RLIMIT_DATA);
}

/// Fills the kernel's table of mappings with pairs of pages of different protection.
class no_mappings_left {
 public:
  explicit no_mappings_left(std::size_t to_leave) {
    while (char* const p = map_pair()) pairs_.push_back(p);
    for (; to_leave != 0 && !pairs_.empty(); --to_leave) end_last();
  }
  ~no_mappings_left() {
    while (!pairs_.empty()) end_last();
  }

 private:
  static char* map_pair() {
    void* p = mmap(nullptr, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    if (mprotect(p, 4096, PROT_READ) == 0) return static_cast<char*>(p);
    munmap(p, 2 * 4096);
    return nullptr;
  }
  void end_last() {
    munmap(pairs_.back(), 2 * 4096);
    pairs_.pop_back();
  }
  std::vector<char*> pairs_;
};

/// Nine direct maps, four of which the kernel refused to end.
class MapsThatCouldNotEnd : public testing::Test {
 protected:
  static constexpr std::size_t each = 32 * M;

  void SetUp() override {
    before_ = address_space_used();
    // Neighbours, which the kernel joins to one mapping: ending one in the middle splits it.
    for (void*& p : blocks_) ASSERT_NE(p = hs_malloc(each), nullptr);
    {
      const no_mappings_left none(0);
      for (std::size_t i = 1; i < 9; i += 2) hs_free(blocks_[i]);
    }
    ASSERT_GT(maps_left(), 7U) << "the kernel was expected to refuse";
  }

  std::size_t maps_left() const { return (address_space_used() - before_ + each / 2) / each; }

  std::size_t before_ = 0;
  void* blocks_[9] = {};
};

TEST_F(MapsThatCouldNotEnd, EndWithLaterOnes) {
  for (std::size_t i = 0; i < 9; i += 2) hs_free(blocks_[i]);
  EXPECT_EQ(maps_left(), 0U);
}

TEST_F(MapsThatCouldNotEnd, EndInAPurge) {
  hs_purge();
  EXPECT_EQ(maps_left(), 5U);
}

TEST(AddressSpace, LoweredWhileRunningLeavesRoomForThreadsAndBlocks) {
  mallopt(M_ARENA_MAX, 1);  // libc's own heap would map 128 MiB for each thread
  world w;
  ASSERT_TRUE(w.get(1000));
  const std::size_t before = address_space_used();
  // Four stacks of 8 MiB, a slab for each class in each of four heaps, and 40 MiB to be mapped.
  limit_address_space_to(before + 128 * M);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)  // their stacks need address space that the heap must not have
    threads.emplace_back([&w] {
      for (std::size_t i = 0; i < 500; ++i) EXPECT_TRUE(w.get(i * 20));
      EXPECT_TRUE(w.get(M));
    });
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(w.get(40 * M)) << "a direct map; used meanwhile: " << address_space_used() - before;
  w.drop_all();
  unlimit();
  w.works_again();
}

TEST(AddressSpace, BelowWhatIsUsedStillServesWhatIsFree) {
  world w;
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(w.get(500));
  w.thin_out(4);
  limit_address_space_to(1 * M);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(w.get(500));
  EXPECT_FALSE(w.get(100 * M));
  exhaust(w, 30 * K);
  w.check();
  unlimit();
  w.works_again();
}

TEST(AddressSpace, RefusalsDoNotPileUp) {
  // Asking in vain must cost nothing that stays.
  world w;
  ASSERT_TRUE(w.get(1000));
  limit_address_space_to(address_space_used() + 16 * M);
  exhaust(w, 100 * K);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(w.get(100 * K));
  const std::size_t before = address_space_used();
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(w.get(100 * K));
  EXPECT_EQ(address_space_used(), before);
  unlimit();
  w.works_again();
}

TEST(LockedMemory, IsServedAndStaysZeroed) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) GTEST_SKIP() << "this user may lock no memory";
  world w;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(w.get(10 * K));
  w.drop_all();
  hs_purge();  // kernels before 5.18 refuse to take locked pages back
  ASSERT_TRUE(w.get_zeroed(2 * M));
  w.drop_all();
  munlockall();
  w.works_again();
}

}  // namespace
}  // namespace heapsmith::fault
