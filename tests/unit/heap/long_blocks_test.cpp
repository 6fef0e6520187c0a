// Middle blocks above 32 KiB: longer ones that serve, what a thread keeps of them, and the clock.
#include <algorithm>
#include <chrono>
#include <thread>

#include "heap/purge.hpp"
#include "spans/settings.hpp"
#include "support/heap_blocks.hpp"
#include "support/replacer.hpp"
#include "threads/shared_heap.hpp"

namespace heapsmith {
namespace {

using test::allocate_many;
using test::free_all;
using test::replacer;

TEST(LongBlocks, PrivateWorkStaysPrivate) {
  constexpr unsigned steps = 50'000, most = 5 * steps / 1000;
  spans::settings().purge_delay_ms.store(spans::never_purge);
  replacer of_pages(3, 200, 33'000, 65'000);
  of_pages.exchanges(8 * steps);
  EXPECT_LE(of_pages.exchanges(steps), most);
  replacer of_slices(3, 100, 65'000, 260'000);
  of_slices.exchanges(8 * steps);
  EXPECT_LE(of_slices.exchanges(steps), most);
}

TEST(LongBlocks, ALongerBlockServesWhereItIsAtHand) {
  constexpr std::size_t longer = 144 * KiB;
  free_all(allocate_many(2, longer));
  void* const p = allocate(longer);
  deallocate(p);  // it was needed again: it is cached
  ASSERT_EQ(t_heap->cached[class_of(longer) - first_middle], p);
  EXPECT_EQ(allocate(100 * KiB), p) << "up to half longer";
  EXPECT_TRUE(fits_request(p, 100 * KiB));
  EXPECT_FALSE(fits_request(p, 64 * KiB));
  deallocate(p);
  void* const shorter = allocate(90 * KiB);
  EXPECT_NE(shorter, p);
  EXPECT_EQ(usable_bytes(shorter), class_bytes(class_of(90 * KiB)));
  void* const aligned = allocate_aligned(104 * KiB, 32 * KiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % (32 * KiB), 0u);
  deallocate(aligned);
  deallocate(shorter);
}

TEST(LongBlocks, AlignedOnesTakeNoLongerOneThatIsNot) {
  for (int i = 0; i < 20; ++i) free_all(allocate_many(8, 60 * KiB));  // at multiples of 60 KiB
  ASSERT_NE(t_heap->cached[class_of(60 * KiB) - first_middle], nullptr);
  for (int i = 0; i < 4; ++i) {
    void* const p = allocate_aligned(48 * KiB, 16 * KiB);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (16 * KiB), 0u);
  }
}

TEST(LongBlocks, AZeroedOneIsZeroWhereverItComesFrom) {
  for (int i = 0; i < 4; ++i) {
    constexpr std::size_t bytes = 200'000;
    char* const p = static_cast<char*>(allocate(bytes));
    memset(p, 0xff, bytes);
    deallocate(p);
    char* const q = static_cast<char*>(allocate_zeroed(bytes));
    EXPECT_EQ(std::count(q, q + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
    memset(q, 0xff, bytes);
    deallocate(q);
  }
}

TEST(LongBlocks, AThreadCachesABoundedAmount) {
  spans::settings().purge_delay_ms.store(spans::never_purge);
  replacer r(5, 200, 500'000, 1'000'000);
  r.exchanges(50'000);
  EXPECT_LE(t_heap->budget.cached(), static_cast<std::int64_t>(17 * MiB));
}

TEST(LongBlocks, ABlockAboveASliceGoesToTheSpansAndNotToTheDepot) {
  deallocate(allocate(5000));  // there is a depot
  deallocate(allocate(MiB));   // without evidence, none is cached
  EXPECT_EQ(middle_bytes.in_depot.load(), 0);
  EXPECT_EQ(t_heap->budget.cached() / static_cast<std::int64_t>(MiB), 0);
  EXPECT_GE(spans::stats().cached_bytes, MiB);
}

TEST(LongBlocks, AThreadCachesTheOnlyOneThatItReplaces) {
  spans::settings().purge_delay_ms.store(spans::never_purge);
  threads_with_heaps.fetch_add(1000);  // its share is small
  replacer r(1, 1, 1'000'000, 1'000'001);
  r.exchanges(10);
  EXPECT_EQ(r.exchanges(1000), 0u);
  threads_with_heaps.fetch_sub(1000);
}

TEST(LongBlocks, ABlockThatMayNotBeCachedLeavesNoMoreThanMayBe) {
  spans::settings().purge_delay_ms.store(spans::never_purge);
  replacer r(9, 40, 65'000, 260'000);
  r.exchanges(20'000);
  void* const longest = allocate(MiB);
  threads_with_heaps.fetch_add(1000);  // the share becomes small
  r.clear();
  deallocate(longest);
  EXPECT_GE(t_heap->budget.room(), 0);
  threads_with_heaps.fetch_sub(1000);
}

/// Whether free memory, too little for a fall, goes back to the OS while a thread only does `step`.
bool lets_free_memory_go(void (*step)()) {
  spans::settings().purge_delay_ms.store(spans::never_purge);
  for (int i = 0; i < 20; ++i) step();
  spans::settings().purge_delay_ms.store(1);
  void* const p = test::allocate_span(3 * MiB);
  memset(p, 1, 3 * MiB);
  deallocate(p);
  const std::size_t before = spans::stats().purged_bytes;
  for (int i = 0; i < 500 && spans::stats().purged_bytes == before; ++i) {
    step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return spans::stats().purged_bytes != before;
}

TEST(LongBlocks, AThreadThatOnlyReplacesThemLetsFreeMemoryGo) {
  EXPECT_TRUE(lets_free_memory_go([] { deallocate(allocate(100 * KiB)); }));
  EXPECT_TRUE(lets_free_memory_go([] {
    static int steps = 0;  // the first ones leave a cached block, which the others clear
    deallocate(++steps <= 20 ? allocate(100 * KiB) : allocate_zeroed(100 * KiB));
  }));
  EXPECT_TRUE(lets_free_memory_go([] { deallocate(allocate(2 * MiB)); }));
}

TEST(LongBlocks, AThreadThatOnlyReplacesThemAnswersAPurge) {
  spans::settings().purge_delay_ms.store(spans::never_purge);
  const auto step = [] { deallocate(allocate(100 * KiB)); };
  const auto cached = [](std::size_t bytes) {
    return t_heap->cached[class_of(bytes) - first_middle];
  };
  for (int i = 0; i < 20; ++i) {
    free_all(allocate_many(20, 5000));
    step();
  }
  for (int i = 0; i < 20; ++i) step();
  ASSERT_NE(cached(5000), nullptr);
  ASSERT_NE(cached(100 * KiB), nullptr) << "no step takes the slow path";
  std::thread([] { hs_purge(); }).join();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(cached(5000), nullptr);
}

}  // namespace
}  // namespace heapsmith
