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
  hs_purge();  // the kernel refuses to take locked pages back
  ASSERT_TRUE(w.get_zeroed(2 * M));
  w.drop_all();
  munlockall();
  w.works_again();
}

}  // namespace
}  // namespace heapsmith::fault
