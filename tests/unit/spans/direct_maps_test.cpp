// Direct maps and the table that finds them.
#include "spans/direct_maps.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "os/os.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

TEST(DirectMap, IsMappedUntilItIsFreed) {
  char* p = static_cast<char*>(allocate(direct_map_min));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(spans::direct_map_bytes(p), direct_map_min);
  EXPECT_EQ(spans::direct_map_bytes(p + test::os_page()), 0u);
  EXPECT_FALSE(spans::direct_unmap(p + test::os_page()));
  p[direct_map_min - 1] = 1;
  deallocate(p);
  EXPECT_EQ(spans::direct_map_bytes(p), 0u);
  EXPECT_FALSE(test::is_mapped(p));
  EXPECT_EQ(spans::stats_of_direct_maps().maps, 0u);
}

TEST(DirectMap, TheTableFindsEachOfManyAsOthersComeAndGo) {
  // Small ones through the inner interface: address space is not the question here.
  std::mt19937 random(11);
  std::map<void*, std::size_t> live;
  std::size_t bytes_live = 0;
  for (int step = 0; step < 12'000; ++step) {
    const bool grow = (step / 2000) % 2 == 0;  // up to many, down to few, again
    if (live.empty() || random() % 100 < (grow ? 70u : 30u)) {
      const std::size_t bytes = (1 + random() % 5) * test::os_page();
      void* p = spans::direct_map(bytes - random() % 100, test::os_page());
      ASSERT_NE(p, nullptr);
      ASSERT_TRUE(live.emplace(p, bytes).second);
      bytes_live += bytes;
    } else {
      const auto it = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      ASSERT_TRUE(spans::direct_unmap(it->first));
      ASSERT_FALSE(spans::direct_unmap(it->first));
      bytes_live -= it->second;
      live.erase(it);
    }
    if (step % 200 == 0) {
      for (const auto& [p, bytes] : live) ASSERT_EQ(spans::direct_map_bytes(p), bytes) << step;
    }
    ASSERT_EQ(spans::stats_of_direct_maps().maps, live.size());
    ASSERT_EQ(spans::stats_of_direct_maps().bytes, bytes_live);
  }
  for (const auto& [p, bytes] : live) EXPECT_TRUE(spans::direct_unmap(p));
  EXPECT_EQ(spans::stats().outside_bytes, 0u);
}

TEST(DirectMap, IsMovedByTheKernelKeepingContents) {
  constexpr std::size_t sizes[] = {64 * MiB, 200 * MiB, 40 * MiB, 33 * MiB, 90 * MiB};
  char* p = static_cast<char*>(allocate(direct_map_min));
  std::size_t bytes = direct_map_min;
  p[0] = 1;
  p[direct_map_min - 1] = 2;
  for (const std::size_t next : sizes) {
    p = static_cast<char*>(reallocate(p, next));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p[0], 1);
    EXPECT_EQ(p[direct_map_min - 1], 2);
    bytes = std::max(spans::direct_map_bytes(p), next);
    EXPECT_EQ(spans::direct_map_bytes(p), bytes);
    EXPECT_LE(test::resident_bytes(p, bytes), 16 * test::os_page()) << "moved, not copied";
    EXPECT_EQ(spans::stats().outside_bytes, bytes);
  }
  p = static_cast<char*>(reallocate(p, MiB));
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(spans::stats_of_direct_maps().maps, 0u);
  EXPECT_EQ(spans::stats().outside_bytes, 0u);
}

/// Whether all room of a map that begins at `end` is mapped, or the first page of it.
bool has_room(const char* end, std::size_t bytes) {
  return test::is_mapped(end) && test::is_mapped(end + bytes - test::os_page());
}

TEST(DirectMap, GrowthInTurnsMovesItAFewTimes) {
  constexpr std::size_t step = 256 * KiB;
  char* at[3];
  unsigned moves = 0, steps = 0;
  std::size_t bytes = direct_map_min;
  for (char*& p : at) memset(p = static_cast<char*>(allocate(bytes)), 1, 3 * MiB);
  for (; bytes < 3 * direct_map_min; bytes += step, ++steps)
    for (char*& p : at) {
      char* const q = static_cast<char*>(reallocate(p, bytes + step));
      ASSERT_NE(q, nullptr);
      moves += q != p;
      p = q;
      p[bytes] = static_cast<char>(bytes / step);
      ASSERT_EQ(usable_bytes(p), bytes + step);
    }
  EXPECT_LE(moves, 3u * 4) << "log of 3 to the base of one and a half, and one more";
  EXPECT_EQ(spans::stats().outside_bytes, 3 * bytes) << "room counts nowhere";
  EXPECT_EQ(spans::stats_of_direct_maps().bytes, 3 * bytes);
  for (char* p : at) {
    EXPECT_EQ(p[2 * MiB], 1);
    for (std::size_t k = direct_map_min; k < bytes; k += step)
      ASSERT_EQ(p[k], static_cast<char>(k / step));
    EXPECT_EQ(test::resident_bytes(p, bytes), 3 * MiB + steps * test::os_page());
    deallocate(p);
  }
  EXPECT_EQ(spans::stats().outside_bytes, 0u);
}

TEST(DirectMap, RoomGoesWithTheMapAndAShrink) {
  for (const bool shrinks : {false, true}) {
    char* p = static_cast<char*>(allocate(40 * MiB));
    p = static_cast<char*>(reallocate(p, 41 * MiB));
    char* const end = p + 41 * MiB;
    ASSERT_TRUE(has_room(end, 20 * MiB));
    EXPECT_EQ(test::resident_bytes(end, 20 * MiB), 0u);
    EXPECT_FALSE(spans::lies_in_direct_map(end));
    EXPECT_EQ(reallocate(p, 60 * MiB), p);
    EXPECT_EQ(spans::stats().outside_bytes, 60 * MiB);
    EXPECT_TRUE(spans::lies_in_direct_map(end));
    if (shrinks) {
      EXPECT_EQ(reallocate(p, 40 * MiB), p);
      EXPECT_FALSE(test::is_mapped(end));
      EXPECT_EQ(usable_bytes(p), 40 * MiB);
    }
    deallocate(p);
    EXPECT_FALSE(test::is_mapped(end));
    EXPECT_FALSE(test::is_mapped(end + 20 * MiB));
    EXPECT_EQ(spans::stats().outside_bytes, 0u);
  }
}

TEST(DirectMap, RoomCountsAgainstNoLimit) {
  hs_set_limit(100 * MiB);
  void* p = allocate(60 * MiB);
  for (std::size_t mib = 61; mib <= 98; ++mib) {
    p = reallocate(p, mib * MiB);
    ASSERT_NE(p, nullptr) << mib;
  }
  EXPECT_EQ(reallocate(p, 101 * MiB), nullptr);
  EXPECT_EQ(usable_bytes(p), 98 * MiB);
  deallocate(p);
}

TEST(DirectMap, HasTheRequestedAlignment) {
  for (std::size_t align = 64 * KiB; align <= 256 * MiB; align *= 4) {
    for (const std::size_t bytes : {std::size_t{1}, direct_map_min, direct_map_min + 1}) {
      void* p = allocate_aligned(bytes, align);
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      EXPECT_GE(usable_bytes(p), bytes);
      deallocate(p);
    }
  }
  EXPECT_EQ(spans::stats_of_direct_maps().maps, 0u);
}

TEST(DirectMap, CountsAgainstTheLimit) {
  hs_set_limit(100 * MiB);
  void* p = allocate(60 * MiB);
  ASSERT_NE(p, nullptr);
  errno = 0;
  EXPECT_EQ(allocate(60 * MiB), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(reallocate(p, 120 * MiB), nullptr);
  EXPECT_EQ(usable_bytes(p), 60 * MiB);
  deallocate(p);
  EXPECT_NE(allocate(90 * MiB), nullptr);
}

TEST(DirectMap, RefusedRequestsLeaveNoTrace) {
  void* p = allocate(1);
  const hs_statistics before = test::statistics();
  for (const std::size_t bytes : {object_max, object_max - MiB, std::size_t{1} << 50}) {
    errno = 0;
    EXPECT_EQ(allocate(bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(allocate_zeroed(bytes), nullptr);
    EXPECT_EQ(allocate_aligned(bytes, 4096), nullptr);
  }
  const hs_statistics after = test::statistics();
  EXPECT_EQ(after.direct_maps, 0u);
  EXPECT_EQ(after.peak_bytes, before.peak_bytes);
  EXPECT_EQ(after.committed_bytes, before.committed_bytes);
  EXPECT_EQ(spans::range_count.load(), 1u);
  EXPECT_EQ(spans::stats().outside_bytes, 0u);
  deallocate(p);
}

TEST(DirectMap, ThreadsMapMoveAndUnmapConcurrently) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (unsigned i = 0; i < 150; ++i) {
        char* p = static_cast<char*>(allocate(direct_map_min + i * 4096));
        p[0] = p[direct_map_min - 1] = static_cast<char>(t);
        p = static_cast<char*>(reallocate(p, 2 * direct_map_min));
        EXPECT_EQ(p[0], static_cast<char>(t));
        EXPECT_EQ(p[direct_map_min - 1], static_cast<char>(t));
        deallocate(p);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(spans::stats_of_direct_maps().maps, 0u);
}

}  // namespace
}  // namespace heapsmith
