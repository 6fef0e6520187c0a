// The life of a slab: set up, carved, current, full, owned again, in the bins, empty, cut again.
#include <algorithm>
#include <set>
#include <thread>

#include "slabs/bins.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

using test::allocate_many;
using test::free_all;
using test::slab_behind;

TEST(Slab, TheFirstBlockMakesASlabCurrentForItsSizesOnly) {
  void* p = allocate(200);  // class 208: requests of 193 … 208 bytes
  slab* s = slab_behind(p);
  const std::size_t c = class_of(200);
  EXPECT_EQ(s->kind, slice_kind::slab);
  EXPECT_EQ(s->size_class, c);
  EXPECT_EQ(s->owner.load(), os::thread_token());
  EXPECT_EQ(s->start, reinterpret_cast<char*>(p));
  EXPECT_EQ(t_heap->current[c], s);
  for (std::size_t n = 0; n <= direct_max; ++n)
    EXPECT_EQ(t_heap->direct[direct_slot(n)] == s, class_of(n) == c) << n;
}

TEST(Slab, BlocksAreCutAPageAtATime) {
  char* p = static_cast<char*>(allocate(64));
  EXPECT_EQ(test::resident_bytes(p, slice_bytes), test::os_page());
  if (test::os_page() == slice_bytes) return;  // the slab has no other
  const std::size_t in_page = test::os_page() / 64;
  for (std::size_t i = 1; i < in_page; ++i) EXPECT_EQ(allocate(64), p + i * 64) << i;
  EXPECT_EQ(test::resident_bytes(p, slice_bytes), test::os_page());
  EXPECT_EQ(allocate(64), p + test::os_page());
}

TEST(Slab, ReusesTheBlockFreedLast) {
  const std::vector<void*> b = allocate_many(10, 100);
  deallocate(b[3]);
  deallocate(b[7]);
  EXPECT_EQ(allocate(100), b[7]);
  EXPECT_EQ(allocate(100), b[3]);
}

TEST(Slab, AFullSlabIsDisownedUntilABlockIsFreed) {
  const std::size_t c = class_of(512), n = slab_capacity(c);
  const std::vector<void*> b = allocate_many(n + 1, 512);
  slab* s = slab_behind(b[0]);
  ASSERT_EQ(slab_behind(b[n - 1]), s);
  ASSERT_NE(slab_behind(b[n]), s);
  EXPECT_EQ(s->owner.load(), nobody_owns);
  EXPECT_TRUE(s->remote.is_disowned());
  deallocate(b[5]);
  EXPECT_EQ(s->owner.load(), os::thread_token());
  EXPECT_FALSE(s->remote.is_disowned());
  EXPECT_EQ(s->countdown + s->later, n - 1);
  EXPECT_EQ(t_heap->bins[c][last_bin], s);
  EXPECT_EQ(s->free, b[5]);
}

TEST(SlabDeathTest, ABlockInAFurtherSliceIsLookedAt) {
  const std::size_t bytes = 20480, n = slab_capacity(class_of(bytes));
  const std::vector<void*> b = allocate_many(n, bytes);
  auto* const last = static_cast<char*>(b[n - 1]);
  EXPECT_DEATH(deallocate(last + 16), "middle of a block");
  deallocate(last);
  EXPECT_DEATH(deallocate(last), "freed twice");
}

TEST(Slab, ReplacementAtRandomSeldomChangesTheSlab) {
  constexpr unsigned n = 40'000, replacements = 100'000;
  const std::size_t c = class_of(64);
  std::vector<void*> b = allocate_many(n, 64);
  std::mt19937 random(5);
  unsigned changes = 0;
  for (unsigned i = 0; i < replacements; ++i) {
    void*& p = b[random() % n];
    deallocate(p);
    const slab* const before = t_heap->current[c];
    p = allocate(64);
    changes += t_heap->current[c] != before;
  }
  EXPECT_LT(changes, replacements / 20);
  EXPECT_LT(test::statistics().slab_bytes, n * 64 / 8 * 9 + 2 * slice_bytes) << "the price";
  free_all(b);
}

TEST(Slab, ReplacementInAFewSlabsSeldomChangesTheSlabEither) {
  constexpr unsigned n = 1000, replacements = 100'000;
  const std::size_t c = class_of(976);
  std::vector<void*> b = allocate_many(n, 976);
  const std::size_t before = test::statistics().slab_bytes;
  std::mt19937 random(5);
  unsigned changes = 0;
  for (unsigned i = 0; i < replacements; ++i) {
    void*& p = b[random() % n];
    deallocate(p);
    const slab* const current = t_heap->current[c];
    p = allocate(976);
    changes += t_heap->current[c] != current;
  }
  EXPECT_LT(changes, replacements / 3);
  EXPECT_LE(test::statistics().slab_bytes, before + before / 8) << "the price";
  free_all(b);
}

TEST(Slab, ClassesThatAreUsedInTurnsGetASlabEach) {
  constexpr unsigned classes = 20;
  const auto block_of = [](std::size_t c) {
    const std::vector<void*> b = allocate_many(3, class_bytes(c));
    free_all(b);
    return b[2];  // the next that the slab hands out
  };
  const auto slabs_in_turn = [&] {
    std::set<const void*> slabs;
    for (std::size_t c = 0; c < classes; ++c) slabs.insert(slab_behind(block_of(c)));
    return slabs;
  };
  EXPECT_EQ(slabs_in_turn().size(), 1u) << "memory that was used comes before other memory";
  for (unsigned round = 0; round < 2 * losses_until_short; ++round) slabs_in_turn();
  EXPECT_EQ(slabs_in_turn().size(), classes);
  const std::size_t takes = spans::stats().takes;
  for (unsigned round = 0; round < 100; ++round) slabs_in_turn();
  EXPECT_EQ(spans::stats().takes, takes);
  EXPECT_GT(hs_purge(), 0u) << "a purge can have them";
}

TEST(Slab, EveryFreeKeepsTheCountAndTheBinOfItsSlab) {
  for (std::size_t c = 0; c < first_middle; ++c) {
    const std::size_t bytes = class_bytes(c), n = slab_capacity(c);
    const std::vector<void*> b = allocate_many(n + 1, bytes);
    slab* s = slab_behind(b[0]);
    for (std::size_t k = 0; k + 1 < n; ++k) {
      deallocate(b[k]);
      const auto used = static_cast<std::uint32_t>(n - 1 - k);
      ASSERT_EQ(s->countdown + s->later, used) << bytes;
      ASSERT_EQ(s->bin, bin_of(used, s->capacity)) << bytes << ' ' << used;
      const slab* at = t_heap->bins[c][s->bin];
      while (at != nullptr && at != s) at = at->next;
      ASSERT_EQ(at, s) << "in the list its number says";
    }
    deallocate(b[n - 1]);
    deallocate(b[n]);
  }
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

TEST(Slab, FullerSlabsAreUsedFirst) {
  const std::size_t n = slab_capacity(class_of(1024));
  std::vector<void*> b = allocate_many(4 * n, 1024);
  // Leave the slabs with 3/4, 1/4, 1/2 in use; the fourth is current and full.
  const std::size_t freed[] = {n / 4, 3 * n / 4, n / 2};
  slab* s[3];
  for (std::size_t k = 0; k < 3; ++k) {
    s[k] = slab_behind(b[k * n]);
    for (std::size_t i = 0; i < freed[k]; ++i) deallocate(b[k * n + i]);
  }
  for (const std::size_t k : {0, 2, 1})
    for (std::size_t i = 0; i < freed[k]; ++i) ASSERT_EQ(slab_behind(allocate(1024)), s[k]) << i;
}

TEST(Slab, EmptySlabsAreKeptUpToABound) {
  const std::size_t n = slab_capacity(class_of(256)), slabs = kept_slices + 4;
  std::vector<void*> b = allocate_many(slabs * n, 256);
  void* current = allocate(256);
  free_all(b);
  EXPECT_EQ(spans::stats().in_use_bytes, (kept_slices + 1) * slice_bytes);
  EXPECT_EQ(spans::stats().cached_bytes, (slabs - kept_slices) * slice_bytes);
  const std::size_t takes = spans::stats().takes;
  b = allocate_many(kept_slices * n, 256);
  EXPECT_EQ(spans::stats().takes, takes) << "the kept ones serve";
  free_all(b);
  deallocate(current);
}

TEST(Slab, AKeptEmptySlabIsCutAgainForAnotherClass) {
  const std::size_t n = slab_capacity(class_of(48));
  const std::vector<void*> b = allocate_many(2 * n + 1, 48);
  std::set<slab*> freed = {slab_behind(b[0]), slab_behind(b[n])};
  for (std::size_t i = 0; i < 2 * n; ++i) deallocate(b[i]);
  void* p = allocate(1000);
  slab* s = slab_behind(p);
  EXPECT_TRUE(freed.count(s));
  EXPECT_EQ(s->size_class, class_of(1000));
  EXPECT_EQ(s->capacity, slab_capacity(class_of(1000)));
  const std::vector<void*> more = allocate_many(s->capacity - 1, 1000);
  for (void* q : more) {
    ASSERT_EQ(slab_behind(q), s);
    test::fill(q, 1000, 1);
  }
}

TEST(Slab, TheCurrentSlabIsSetAsideWhenItBecomesEmpty) {
  const std::size_t c = class_of(32);
  const std::vector<void*> b = allocate_many(50, 32);
  slab* s = slab_behind(b[0]);
  for (unsigned i = 1; i < 50; ++i) deallocate(b[i]);
  EXPECT_EQ(t_heap->current[c], s);
  deallocate(b[0]);
  EXPECT_EQ(t_heap->current[c], &no_slab);
  EXPECT_EQ(spans::stats().gives, 0u);
  EXPECT_EQ(allocate(32), b[0]) << "as it was";
  EXPECT_EQ(t_heap->current[c], s);
}

TEST(Slab, BlocksOfAllClassesKeepTheirContents) {
  std::mt19937 random(5);
  struct held {
    char* p;
    std::size_t bytes;
    unsigned seed;
  };
  std::vector<held> live;
  std::size_t expected = 0;
  for (unsigned step = 0; step < 60'000; ++step) {
    if (live.size() < 400 || random() % 2 == 0) {
      const std::size_t bytes = random() % (step % 7 == 0 ? 40'000 : 600);
      auto* p = static_cast<char*>(allocate(bytes));
      ASSERT_NE(p, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % block_align, 0u);
      test::fill(p, bytes, step);
      live.push_back({p, bytes, step});
      expected += usable_bytes(p);
    } else {
      std::swap(live[random() % live.size()], live.back());
      const held h = live.back();
      live.pop_back();
      ASSERT_TRUE(test::is_filled(h.p, h.bytes, h.seed));
      expected -= usable_bytes(h.p);
      deallocate(h.p);
    }
    if (step % 1000 == 0) {
      ASSERT_EQ(test::statistics().in_use_bytes, expected) << step;
    }
  }
  for (const held& h : live) {
    ASSERT_TRUE(test::is_filled(h.p, h.bytes, h.seed));
    deallocate(h.p);
  }
  EXPECT_EQ(test::statistics().in_use_bytes, 0u);
}

}  // namespace
}  // namespace heapsmith
