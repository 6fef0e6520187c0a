// Heaps of their own: whose slabs serve them, what they count and refuse.
#include <errno.h>
#include <sys/resource.h>

#include "support/first_class.hpp"

namespace heapsmith {
namespace {

using test::allocate_many_in;
using test::behind;
using test::fill;
using test::heap_of;
using test::is_filled;
using test::slab_behind;

TEST(FirstClassHeap, HasSlabsOfItsOwn) {
  heap a, b;
  void* pa = a.allocate(100);
  void* pb = b.allocate(100);
  void* pg = allocate(100);
  EXPECT_EQ(heap_of(pa), behind(a));
  EXPECT_EQ(heap_of(pb), behind(b));
  EXPECT_EQ(test::account_behind(pg), nullptr);
  EXPECT_NE(slab_behind(pa), slab_behind(pb));
  for (void* p : {pa, pb, pg}) deallocate(p);
}

TEST(FirstClassHeap, TryCreateReturnsNothingIfOutOfMemory) {
  std::optional<heap> limited = heap::try_create(MiB);
  ASSERT_TRUE(limited.has_value());
  EXPECT_EQ(limited->stats().limit_bytes, MiB);
  EXPECT_EQ(limited->try_allocate(2 * MiB), nullptr);
#if defined(HEAPSMITH_UNDER_ASAN) || defined(HEAPSMITH_UNDER_TSAN)
  GTEST_SKIP() << "a sanitizer needs address space";
#endif
  std::vector<heap> created;
  created.reserve(100'000);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none = {1 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  while (std::optional<heap> h = heap::try_create()) {
    if (created.size() == created.capacity()) break;
    created.push_back(std::move(*h));
  }
  const bool is_nothing = !heap::try_create().has_value();
  EXPECT_THROW(heap(), std::bad_alloc);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(is_nothing);
  EXPECT_TRUE(heap::try_create().has_value());
}

TEST(FirstClassHeap, AFreedBlockServesTheNextRequest) {
  heap h;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    void* p = h.allocate(bytes);
    h.deallocate(p, bytes);
    EXPECT_EQ(h.allocate(bytes), p);
    hs_free(p);  // the plain name, and for 5000 bytes perhaps in a further slice of the slab
    EXPECT_EQ(h.allocate(bytes), p);
    h.deallocate(p, bytes);
  }
}

TEST(FirstClassHeap, FreesLocallyAcrossAllSlicesOfLongSlabs) {
  heap h;
  std::vector<void*> blocks = allocate_many_in(h, 40, 30000);
  EXPECT_EQ(h.stats().in_use_bytes, 40 * hs_good_size(30000));
  for (void* p : blocks) h.deallocate(p);
  EXPECT_EQ(h.stats().in_use_bytes, 0u);
}

TEST(FirstClassHeap, CountsWhatItHolds) {
  heap h;
  EXPECT_EQ(h.stats().held_bytes, 0u);
  std::vector<void*> small = allocate_many_in(h, 1000, 64);
  void* large = h.allocate(MiB);
  void* direct = h.allocate(direct_map_min);
  heap_stats s = h.stats();
  EXPECT_EQ(s.slab_bytes, slice_bytes);
  EXPECT_EQ(s.large_bytes, MiB);
  EXPECT_EQ(s.direct_bytes, direct_map_min);
  EXPECT_EQ(s.in_use_bytes, 64000 + MiB + direct_map_min);
  EXPECT_EQ(s.held_bytes, slice_bytes + MiB + direct_map_min);
  h.deallocate(large);
  hs_free(direct);
  s = h.stats();
  EXPECT_EQ(s.held_bytes, slice_bytes);
  EXPECT_EQ(s.peak_bytes, slice_bytes + MiB + direct_map_min);
  EXPECT_EQ(h.try_allocate(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(h.stats().peak_bytes, s.peak_bytes) << "what was refused was never held";
}

TEST(FirstClassHeap, ResizedBlocksStayInIt) {
  heap h;
  void* p = h.allocate(100);
  fill(p, 100, 1);
  std::size_t kept = 100;
  for (const std::size_t bytes : {std::size_t{5000}, 200 * KiB, MiB, 300 * KiB, std::size_t{700}}) {
    p = hs_realloc(p, bytes);
    ASSERT_NE(p, nullptr);
    kept = std::min(kept, bytes);
    EXPECT_TRUE(is_filled(p, kept, 1)) << bytes;
    EXPECT_EQ(heap_of(p), behind(h)) << bytes;
    EXPECT_GE(h.stats().held_bytes, bytes);
  }
  p = hs_aligned_realloc(p, 4096, 3000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 4096, 0u);
  EXPECT_EQ(heap_of(p), behind(h));
  p = hs_realloc(p, direct_map_min);
  EXPECT_EQ(h.stats().direct_bytes, direct_map_min);
  p = hs_realloc(p, 2 * direct_map_min);
  EXPECT_EQ(h.stats().direct_bytes, 2 * direct_map_min);
  p = hs_realloc(p, MiB);
  EXPECT_EQ(heap_of(p), behind(h));
  EXPECT_TRUE(is_filled(p, 100, 1));
  EXPECT_EQ(h.stats().direct_bytes, 0u);
  h.deallocate(p);
  hs_purge();
  EXPECT_EQ(h.stats().held_bytes, 0u);
}

TEST(FirstClassHeap, ExtendedAndTrimmedLargeBlocksAreCounted) {
  heap h;
  void* p = h.allocate(MiB);
  ASSERT_EQ(hs_try_expand(p, 2 * MiB), 0);
  EXPECT_EQ(h.stats().held_bytes, 2 * MiB);
  EXPECT_EQ(hs_realloc(p, MiB / 2), p);
  EXPECT_EQ(h.stats().held_bytes, MiB / 2);
  h.set_limit(MiB);
  EXPECT_EQ(hs_try_expand(p, 2 * MiB), ENOMEM);
  h.deallocate(p);
  EXPECT_EQ(h.stats().held_bytes, 0u);
}

TEST(FirstClassHeap, ZeroesAndAligns) {
  heap h;
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{9000}, 300 * KiB, direct_map_min}) {
    void* dirty = h.allocate(bytes);
    memset(dirty, 1, bytes);
    h.deallocate(dirty);
    auto* p = static_cast<char*>(hs_heap_calloc(h.get(), 1, bytes));
    EXPECT_EQ(p[0], 0);
    EXPECT_EQ(memcmp(p, p + 1, bytes - 1), 0);
    h.deallocate(p);
  }
  for (std::size_t align = 1; align <= MiB; align *= 2) {
    void* p = h.allocate(100, align);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    EXPECT_EQ(heap_of(p), behind(h));
    h.deallocate(p, 100, align);
  }
  volatile std::size_t too_many = std::size_t{1} << 40;  // the compiler must not see it
  EXPECT_EQ(hs_heap_calloc(h.get(), too_many, too_many), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(hs_heap_aligned_alloc(h.get(), 24, 100), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(FirstClassHeap, KeepsItsLimit) {
  heap h(MiB);
  std::size_t n = 0;
  while (h.try_allocate(1000) != nullptr) ++n;
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GE(n, MiB / 1024 * 9 / 10);
  EXPECT_LE(h.stats().held_bytes, MiB);
  EXPECT_EQ(h.try_allocate(MiB), nullptr);
  EXPECT_EQ(h.try_allocate(direct_map_min), nullptr);
  EXPECT_THROW(static_cast<void>(h.allocate(5000)), std::bad_alloc);
  void* elsewhere = allocate(1000);  // the limit is this heap's alone
  EXPECT_NE(elsewhere, nullptr);
  deallocate(elsewhere);
  h.reset();
  EXPECT_EQ(h.stats().limit_bytes, MiB);
  EXPECT_EQ(h.stats().held_bytes, 0u);
  EXPECT_NE(h.try_allocate(1000), nullptr);
  h.set_limit(0);
  EXPECT_NE(h.try_allocate(4 * MiB), nullptr);
}

TEST(FirstClassHeap, AllHeapsAreSearchedBeforeARequestFails) {
  std::vector<heap> heaps(40);  // the last of them keep empty slabs
  for (heap& h : heaps)
    for (void* p : allocate_many_in(h, 100, 1000)) h.deallocate(p);
  const hs_statistics s = test::statistics();
  hs_set_limit(s.slab_bytes + s.metadata_bytes + slice_bytes);
  EXPECT_NE(allocate(40 * slice_bytes), nullptr);
  EXPECT_EQ(allocate(40 * slice_bytes), nullptr);
}

}  // namespace
}  // namespace heapsmith
