// Purging: only unused memory is returned to the OS, as the OS measures it.
#include "heap/purge.hpp"

#include <malloc.h>

#include <atomic>
#include <thread>

#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

std::size_t resident_in_ranges() {
  std::size_t n = 0;
  for (std::size_t k = 0; k < spans::range_count.load(); ++k)
    n += test::resident_bytes(reinterpret_cast<void*>(spans::ranges[k].base),
                              spans::ranges[k].committed() * slice_bytes);
  return n;
}

TEST(Purge, GivesAllFreeMemoryOfThisThreadBack) {
  std::vector<void*> b = test::allocate_many(20'000, 300);
  for (void* p : b) memset(p, 1, 300);
  void* large = allocate(5 * MiB);
  memset(large, 1, 5 * MiB);
  EXPECT_GT(resident_in_ranges(), 11 * MiB);
  test::free_all(b);
  deallocate(large);
  EXPECT_GT(hs_purge(), 0u);
  EXPECT_EQ(resident_in_ranges(), 0u);
  const hs_statistics s = test::statistics();
  EXPECT_EQ(s.slab_bytes + s.large_bytes + s.cached_bytes, 0u);
  EXPECT_EQ(hs_purge(), 0u);
  EXPECT_NE(allocate(300), nullptr);
}

TEST(Purge, LeavesLiveBlocksAlone) {
  std::vector<void*> b = test::allocate_many(5000, 1000);
  for (unsigned i = 0; i < b.size(); ++i) test::fill(b[i], 1000, i);
  for (unsigned i = 0; i < b.size(); ++i)
    if (i % 3 != 0) deallocate(b[i]);
  hs_purge();
  for (unsigned i = 0; i < b.size(); i += 3) {
    ASSERT_TRUE(test::is_filled(b[i], 1000, i)) << i;
    deallocate(b[i]);
  }
}

TEST(Purge, EmptiesEndedThreadsHeaps) {
  std::thread([] {
    std::vector<void*> b = test::allocate_many(3000, 700);
    for (void* p : b) memset(p, 1, 700);
    test::free_all(b);
  }).join();
  hs_purge();
  EXPECT_EQ(resident_in_ranges(), 0u);
}

TEST(Purge, ReachesSlabsThatALiveThreadKeeps) {
  std::atomic<int> step{0};
  std::thread other([&] {
    std::vector<void*> b = test::allocate_many(10 * slab_capacity(class_of(1000)), 1000);
    for (void* p : b) memset(p, 1, 1000);
    test::free_all(b);
    step.store(1);
    while (step.load() == 1) std::this_thread::yield();
    // Its own part follows on its next slow path.
    void* p = allocate(10'000);
    step.store(3);
    while (step.load() == 3) std::this_thread::yield();
    deallocate(p);
  });
  while (step.load() != 1) std::this_thread::yield();
  hs_purge();
  EXPECT_LE(test::statistics().slab_bytes, slab_slices(class_of(1000)) * slice_bytes);
  step.store(2);
  while (step.load() != 3) std::this_thread::yield();
  EXPECT_EQ(test::statistics().slab_bytes, slab_slices(class_of(10'000)) * slice_bytes);
  step.store(4);
  other.join();
}

TEST(Purge, EndsASlabThatOtherThreadsEmptied) {
  constexpr std::size_t slabs = 8;
  const std::size_t n = slab_capacity(class_of(1000));
  const std::vector<void*> b = test::allocate_many(slabs * n + 1, 1000);
  std::thread([&] {
    for (std::size_t i = 0; i < slabs * n; i += 8) deallocate(b[i]);  // enough of each slab
  }).join();
  std::thread([&] {
    for (std::size_t i = 0; i < n; ++i)
      if (i % 8 != 0) deallocate(b[i]);  // the rest of the first one
  }).join();
  const std::size_t before = test::statistics().slab_bytes;
  EXPECT_EQ(before, (slabs + 1) * slice_bytes) << "one empty slab of eight is not looked for";
  std::thread([] { hs_purge(); }).join();
  EXPECT_EQ(test::statistics().slab_bytes, before - slice_bytes);
}

TEST(Purge, ReachesAThreadThatSleepsAfterItFreedAll) {
  std::atomic<int> step{0};
  std::thread sleeper([&] {
    for (unsigned round = 0; round < 5; ++round) {
      std::vector<void*> b;
      for (std::size_t c = 0; c < first_middle; ++c)
        for (unsigned i = 0; i < 200; ++i) b.push_back(memset(allocate(class_bytes(c)), 1, 16));
      test::free_all(b);
    }
    step.store(1);
    step.notify_all();
    step.wait(1);
  });
  step.wait(0);
  hs_purge();
  EXPECT_EQ(resident_in_ranges(), 0u);
  step.store(2);
  step.notify_all();
  sleeper.join();
}

TEST(Purge, OfOneThreadLeavesTheProcessItsCache) {
  std::vector<void*> b = test::allocate_many(2000, 500);
  void* large = test::allocate_span(MiB);
  test::free_all(b);
  deallocate(large);
  const std::size_t cached = test::statistics().cached_bytes;
  EXPECT_GE(cached, MiB);
  EXPECT_EQ(hs_thread_purge(), 0u) << "it all fits under the cap";
  EXPECT_EQ(test::statistics().slab_bytes, 0u) << "the thread keeps no slab";
  EXPECT_GT(test::statistics().cached_bytes, cached) << "and others can have them";
}

TEST(Purge, OfOneThreadReturnsTheBytesGivenToTheOs) {
  spans::set_cache_cap(0);
  deallocate(allocate(500));  // its slab is set aside
  EXPECT_EQ(hs_thread_purge(), slice_bytes);
  EXPECT_EQ(resident_in_ranges(), 0u);
}

TEST(Purge, OfOneThreadLeavesTheMemoryOfOthers) {
  std::vector<void*> b = test::allocate_many(2000, 500);
  test::free_all(b);
  const std::size_t kept = test::statistics().slab_bytes;
  EXPECT_GT(kept, 0u);
  std::thread([&] {
    hs_thread_purge();
    EXPECT_EQ(test::statistics().slab_bytes, kept);
  }).join();
}

TEST(Purge, IsDoneByMallocTrim) {
  void* p = allocate(2 * MiB);
  memset(p, 1, 2 * MiB);
  deallocate(p);
  EXPECT_EQ(hs_malloc_trim(0), 1);
  EXPECT_EQ(hs_malloc_trim(0), 0);
}

TEST(Tune, TrimThresholdCapsTheCache) {
  EXPECT_EQ(hs_mallopt(M_TRIM_THRESHOLD, 0), 1);
  deallocate(allocate(MiB));
  EXPECT_EQ(test::statistics().cached_bytes, 0u);
  EXPECT_EQ(hs_mallopt(M_TRIM_THRESHOLD, -1), 1);
  void* p = allocate(30 * MiB);
  deallocate(p);
  EXPECT_EQ(test::statistics().cached_bytes, 30 * MiB);
  EXPECT_EQ(hs_mallopt(M_ARENA_MAX, 1), 1);
}

TEST(Prefault, MakesTheNextBlocksFreeOfFaults) {
  EXPECT_EQ(hs_prefault(10 * MiB), 0);
  void* p = allocate(10 * MiB);
  EXPECT_EQ(test::resident_bytes(p, 10 * MiB), 10 * MiB);
  EXPECT_EQ(hs_prefault(SIZE_MAX), ENOMEM);
}

TEST(Limit, RequestsAboveItFailWithEnomemUntilItIsRemoved) {
  hs_set_limit(16 * MiB);
  std::vector<void*> b;
  errno = 0;
  while (void* p = allocate(10'000)) b.push_back(p);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GT(b.size() * 10'000, 12 * MiB);
  const hs_statistics s = test::statistics();
  EXPECT_LE(s.slab_bytes + s.large_bytes + s.direct_bytes + s.cached_bytes + s.metadata_bytes,
            16 * MiB);
  test::free_all(b);
  EXPECT_NE(allocate(8 * MiB), nullptr) << "what was freed may be used for something else";
}

}  // namespace
}  // namespace heapsmith
