// Zeroed blocks: whatever lay there before.
#include <sys/mman.h>

#include "base/size_classes.hpp"
#include "support/heap_blocks.hpp"
#include "support/pages.hpp"

namespace heapsmith {
namespace {

using test::is_zero;

TEST(Zeroed, EveryClassAfterItsBlocksWereUsed) {
  for (std::size_t c = 0; c < class_count; ++c) {
    const std::size_t bytes = class_bytes(c);
    std::vector<void*> b = test::allocate_many(20, bytes);
    for (void* p : b) memset(p, 0xff, bytes);
    test::free_all(b);
    for (void*& p : b) {
      p = allocate_zeroed(bytes);
      ASSERT_TRUE(is_zero(p, bytes)) << bytes;
    }
    test::free_all(b);
  }
}

TEST(Zeroed, LargeAfterAllOfItWasUsed) {
  for (const std::size_t bytes : {slab_block_max + 1, 100 * KiB, MiB + 5, 20 * MiB}) {
    void* p = allocate(bytes);
    memset(p, 0xff, bytes);
    deallocate(p);
    char* q = static_cast<char*>(allocate_zeroed(bytes));
    EXPECT_TRUE(is_zero(q, bytes)) << bytes;
    deallocate(q);
  }
}

TEST(Zeroed, NothingBehindTheLastByteIsTouched) {
  for (const std::size_t bytes : {slice_bytes + 100, 9 * slice_bytes - 5000}) {
    const std::size_t usable = slices_for(bytes) * slice_bytes;
    char* const p = static_cast<char*>(allocate(usable));
    memset(p, 0xff, usable);
    deallocate(p);
    char* const q = static_cast<char*>(allocate_zeroed(bytes));
    ASSERT_EQ(q, p) << "the span that was used";
    EXPECT_TRUE(is_zero(q, bytes));
    EXPECT_EQ(static_cast<unsigned char>(q[bytes]), 0xff)
        << "its memory would be needed for nothing";
    EXPECT_EQ(static_cast<unsigned char>(q[usable - 1]), 0xff);
  }
}

TEST(Zeroed, LargeOverEveryMixOfCleanAndDirtySlices) {
  spans::set_cache_cap(spans::never_purge);
  constexpr unsigned n = 6;  // slices; each of the 2^6 patterns of used ones
  for (unsigned pattern = 0; pattern < 1u << n; ++pattern) {
    hs_purge();
    void* single[n];
    for (void*& p : single) p = allocate(slice_bytes);
    for (unsigned i = 1; i < n; ++i)
      ASSERT_EQ(static_cast<char*>(single[i]), static_cast<char*>(single[0]) + i * slice_bytes);
    // Blocks freed before the purge end clean; blocks freed after it end dirty.
    for (void* p : single) memset(p, 0xff, slice_bytes);
    for (unsigned i = 0; i < n; ++i)
      if ((pattern >> i & 1) == 0) deallocate(single[i]);
    hs_purge();
    for (unsigned i = 0; i < n; ++i)
      if ((pattern >> i & 1) != 0) deallocate(single[i]);
    void* p = allocate_zeroed(n * slice_bytes);
    ASSERT_EQ(p, single[0]);
    ASSERT_TRUE(is_zero(p, n * slice_bytes)) << pattern;
    deallocate(p);
  }
}

TEST(Zeroed, PurgedMemoryAgain) {
  char* p = static_cast<char*>(allocate_zeroed(8 * MiB));
  EXPECT_TRUE(is_zero(p, 8 * MiB));
  memset(p, 1, 8 * MiB);
  deallocate(p);
  hs_purge();
  p = static_cast<char*>(allocate_zeroed(8 * MiB));
  EXPECT_TRUE(is_zero(p, 8 * MiB));
  deallocate(p);
}

TEST(Zeroed, DirectMapsAreNotTouched) {
  char* p = static_cast<char*>(allocate_zeroed(64 * MiB));
  EXPECT_EQ(test::resident_bytes(p, 64 * MiB), 0u);
  EXPECT_TRUE(is_zero(p, 64 * MiB));
  deallocate(p);
}

TEST(Zeroed, TailGivenBackByAShrinkIsDirty) {
  char* p = static_cast<char*>(allocate(10 * slice_bytes));
  memset(p, 0xff, 10 * slice_bytes);
  ASSERT_EQ(reallocate(p, 4 * slice_bytes), p);
  char* q = static_cast<char*>(allocate_zeroed(6 * slice_bytes));
  ASSERT_EQ(q, p + 4 * slice_bytes);
  EXPECT_TRUE(is_zero(q, 6 * slice_bytes));
}

constexpr std::size_t table_bytes = 8 * MiB;

/// A table that was made of memory without use before.
char* new_table() {
  hs_purge();
  return static_cast<char*>(allocate_zeroed(table_bytes));
}

void fill_and_free(char* table) {
  memset(table, 1, table_bytes);
  deallocate(table);
}

TEST(Zeroed, SparseTablesStaySparse) {
  std::vector<char*> tables;
  for (int i = 0; i < 20; ++i) {
    tables.push_back(new_table());
    EXPECT_EQ(test::resident_bytes(tables.back(), table_bytes), 0u);
    tables.back()[100] = 1;
  }
  for (char* p : tables) deallocate(p);
  char* p = new_table();
  EXPECT_EQ(test::resident_bytes(p, table_bytes), 0u);
}

TEST(Zeroed, TablesGetTheirMemoryAtOnceAfterTwoWereFilled) {
  for (int i = 0; i < 2; ++i) {
    char* const p = new_table();
    EXPECT_EQ(test::resident_bytes(p, table_bytes), 0u) << "nothing is known after " << i;
    fill_and_free(p);
  }
  for (int i = 0; i < 3; ++i) {
    char* const p = new_table();
    EXPECT_GE(test::resident_bytes(p, table_bytes), table_bytes - 16 * test::os_page());
    EXPECT_TRUE(is_zero(p, table_bytes));
    fill_and_free(p);
  }
  // One that stays sparse, though it was backed with memory: its witnesses have none.
  char* p = new_table();
  deallocate(p);
  p = new_table();
  EXPECT_EQ(test::resident_bytes(p, table_bytes), 0u);
}

/// A table that is held and filled, made of memory without use before.
char* held_and_filled() {
  char* const p = new_table();
  memset(p, 1, table_bytes);
  return p;
}

bool has_its_memory(const char* table) {
  return test::resident_bytes(table, table_bytes) >= table_bytes - 16 * test::os_page();
}

TEST(Zeroed, OneHeldTableIsNotEnough) {
  held_and_filled();
  EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u);
}

TEST(Zeroed, TablesGetTheirMemoryAtOnceAfterTwoAreFilledAndHeld) {
  for (int i = 0; i < 2; ++i) {
    char* const p = new_table();
    EXPECT_EQ(test::resident_bytes(p, table_bytes), 0u) << "nothing is known after " << i;
    memset(p, 1, table_bytes);
  }
  for (int i = 0; i < 3; ++i) {
    char* const p = new_table();
    EXPECT_TRUE(has_its_memory(p));
    EXPECT_TRUE(is_zero(p, table_bytes));
    memset(p, 1, table_bytes);
  }
}

TEST(Zeroed, OneTableIsEvidenceOnce) {
  char* const first = held_and_filled();
  char* const guard = new_table();  // looks at the first one
  deallocate(first);
  EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u);  // counts neither
  deallocate(guard);
}

TEST(Zeroed, TablesThatAreFilledLateStayTrusted) {
  for (int i = 0; i < 2; ++i) fill_and_free(new_table());
  for (int round = 0; round < 3; ++round) {
    char* tables[8];
    for (char*& p : tables) {
      p = new_table();
      EXPECT_TRUE(has_its_memory(p)) << round;
    }
    for (char* p : tables) memset(p, 1, table_bytes);
  }
}

TEST(Zeroed, EightDoubtsInARowEndTheTrust) {
  for (int i = 0; i < 2; ++i) fill_and_free(new_table());
  // None is filled and none freed. The k-th is made after k - 1 doubts.
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(has_its_memory(new_table())) << i;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u) << i;
}

TEST(Zeroed, FilledAndSparseTablesInTurnAreLeftToFault) {
  for (int i = 0; i < 12; ++i) {
    char* const filled = new_table();
    EXPECT_EQ(test::resident_bytes(filled, table_bytes), 0u) << i;
    memset(filled, 1, table_bytes);
    char* const sparse = new_table();
    EXPECT_EQ(test::resident_bytes(sparse, table_bytes), 0u) << i;
    sparse[100] = 1;
  }
}

TEST(Zeroed, OneFreedSparseTableEndsTheTrust) {
  for (int i = 0; i < 2; ++i) held_and_filled();
  char* const sparse = new_table();
  EXPECT_TRUE(has_its_memory(sparse));
  deallocate(sparse);
  EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u);
}

TEST(Zeroed, ATableThatEndedIsNotLookedAt) {
  // The place of each freed sparse table is filled by a block that is not a table.
  for (int i = 0; i < 4; ++i) {
    char* const table = new_table();
    EXPECT_EQ(test::resident_bytes(table, table_bytes), 0u) << i;
    deallocate(table);
    char* const other = static_cast<char*>(allocate(table_bytes));
    EXPECT_EQ(other, table);
    memset(other, 1, table_bytes);
  }
}

TEST(Zeroed, PagesThatTheProgramProtectsAreNotRead) {
  for (int i = 0; i < 4; ++i) {
    char* const p = new_table();
    memset(p, 1, table_bytes);
    ASSERT_EQ(mprotect(p, table_bytes, PROT_NONE), 0);  // until the process ends
  }
  EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u);
}

TEST(Zeroed, TablesFilledWithFewBytesCountAsFilled) {
  for (int i = 0; i < 2; ++i) {
    char* const p = new_table();
    for (std::size_t k = 40; k < table_bytes; k += 128) p[k] = 1;  // entries with a byte each
    deallocate(p);
  }
  EXPECT_TRUE(has_its_memory(new_table()));
}

TEST(Zeroed, TablesThatMoveAreNotTakenForFilled) {
  for (int i = 0; i < 4; ++i) {
    char* const p = new_table();
    void* const guard = allocate(2 * slice_bytes);
    char* const q = static_cast<char*>(reallocate(p, 2 * table_bytes));  // reads every page
    EXPECT_NE(p, q);
    deallocate(guard);
    deallocate(q);
  }
  EXPECT_EQ(test::resident_bytes(new_table(), table_bytes), 0u);
}

TEST(Zeroed, TablesUsedAtRegularDistancesAreSparse) {
  for (const unsigned entries : {4u, 8u, 16u, 24u, 40u, 64u, 100u}) {
    for (int i = 0; i < 4; ++i) {
      char* const p = new_table();
      EXPECT_EQ(test::resident_bytes(p, table_bytes), 0u) << entries;
      for (unsigned k = 0; k < entries; ++k) p[table_bytes / entries * k] = 1;
      if (i % 2 == 0) deallocate(p);
    }
  }
}

TEST(Zeroed, DirectMapsAfterOneWasUsed) {
  void* p = allocate(direct_map_min);
  memset(p, 0xff, direct_map_min);
  deallocate(p);
  void* q = allocate_zeroed(direct_map_min);
  EXPECT_TRUE(is_zero(q, direct_map_min));
  deallocate(q);
}

}  // namespace
}  // namespace heapsmith
