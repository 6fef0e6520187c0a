// Classes that allocate and free in turns: when their slab is set aside, and what memory it keeps.
#include <string.h>

#include <algorithm>

#include "slabs/slabs.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

using test::allocate_many;
using test::free_all;
using test::slab_behind;

TEST(Slab, BlocksInTurnsSeldomSetTheSlabAside) {
  for (const std::size_t bytes : {16u, 500u, 1000u}) {
    const std::size_t c = class_of(bytes);
    const auto set_aside = [&](unsigned blocks) {
      unsigned times = 0;
      for (unsigned i = 0; i < 1000; ++i) {
        free_all(allocate_many(blocks, bytes));
        times += t_heap->current[c] == &no_slab;
      }
      return times;
    };
    EXPECT_LE(set_aside(1), 8u) << bytes;
    const unsigned in_page = static_cast<unsigned>(4 * KiB / bytes);
    if (in_page > 1 && in_page <= 128) {
      EXPECT_LE(set_aside(in_page - 1), 8u) << bytes;
    }
    const unsigned many = std::min<unsigned>(129, slab_capacity(c));
    EXPECT_EQ(set_aside(many), 1000u) << "each time, a purge can have the memory: " << bytes;
  }
}

TEST(Slab, AClassThatLostItsSlabIsWatchedAgain) {
  const std::size_t c = class_of(64);
  const auto is_set_aside = [&] {
    deallocate(allocate(64));
    return t_heap->current[c] == &no_slab;
  };
  EXPECT_TRUE(is_set_aside());
  EXPECT_FALSE(is_set_aside()) << "it was taken back, and one block means nothing now";
  free_all(allocate_many(65, 64));
  EXPECT_EQ(t_heap->current[c], &no_slab);
  drop_kept(*t_heap);
  EXPECT_TRUE(is_set_aside());
}

TEST(Slab, AClassGrowsCalmWithLittleMemory) {
  const std::size_t bytes = 1024, c = class_of(bytes), burst = slab_capacity(c);
  ASSERT_GT(burst, 1u);
  const auto fill = [&] {
    const std::vector<void*> b = allocate_many(burst, bytes);
    for (void* p : b) memset(p, 1, bytes);
    const slab* s = slab_behind(b[0]);
    free_all(b);
    return s;
  };
  const auto pairs_until_calm = [&] {
    for (unsigned n = 0; n < 1000; ++n) {
      EXPECT_EQ(t_heap->current[c], &no_slab) << "a purge can have the memory";
      deallocate(allocate(bytes));
      if (t_heap->current[c] != &no_slab) return n;
    }
    return 1000u;
  };
  const std::size_t whole = burst * bytes;
  for (int i = 0; i < 3; ++i) deallocate(allocate(bytes));
  if (whole <= test::os_page()) return;  // calm at once
  const slab* s = fill();
  EXPECT_EQ(test::resident_bytes(s->start, whole), whole);
  EXPECT_EQ(pairs_until_calm(), returns_until_calm) << "it was calm before the burst";
  ASSERT_EQ(t_heap->current[c], s);
  EXPECT_LE(test::resident_bytes(s->start, whole), std::max(test::os_page(), bytes));

  ASSERT_EQ(fill(), s);
  EXPECT_EQ(pairs_until_calm(), returns_until_calm);
  EXPECT_EQ(test::resident_bytes(s->start, whole), whole) << "it was needed again, and stays";
}

}  // namespace
}  // namespace heapsmith
