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
  for (const std::size_t bytes : {cached_block_max + 1, 100 * KiB, MiB + 5, 20 * MiB}) {
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
    char* const p = static_cast<char*>(test::allocate_span(usable));
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
    for (void*& p : single) p = test::allocate_span(slice_bytes);
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
  char* p = static_cast<char*>(test::allocate_span(10 * slice_bytes));
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

bool is_untouched(const char* table) {
  return test::resident_bytes(table, table_bytes) == 0;
}

bool has_its_memory(const char* table) {
  return test::resident_bytes(table, table_bytes) == table_bytes;
}

/// So many must be filled before the next one gets its memory at once.
constexpr int filled_for_each_assumed = 20;

void fill_and_free_many(int n) {
  for (int i = 0; i < n; ++i) fill_and_free(static_cast<char*>(allocate_zeroed(table_bytes)));
}

TEST(Zeroed, ATableThatShrankIsNotWatchedAnyMore) {
  char* const p = new_table();
  ASSERT_EQ(reallocate(p, 50 * KiB), p);
  deallocate(p);  // this thread keeps what is left
  char* const q = new_table();
  ASSERT_EQ(q, p) << "its place in the table of watched blocks is the same";
  fill_and_free(q);
  fill_and_free_many(filled_for_each_assumed - 1);
  EXPECT_TRUE(has_its_memory(new_table()));
}

TEST(Zeroed, SparseTablesStaySparse) {
  std::vector<char*> tables;
  for (int i = 0; i < 20; ++i) {
    tables.push_back(new_table());
    EXPECT_TRUE(is_untouched(tables.back()));
    tables.back()[100] = 1;
  }
  for (char* p : tables) deallocate(p);
  EXPECT_TRUE(is_untouched(new_table()));
}

TEST(Zeroed, TablesGetTheirMemoryAtOnceAfterTwentyWereFilled) {
  for (int i = 0; i < filled_for_each_assumed; ++i) {
    char* const p = new_table();
    EXPECT_TRUE(is_untouched(p)) << i;
    fill_and_free(p);
  }
  for (int i = 0; i < 3; ++i) {
    char* const p = new_table();
    EXPECT_TRUE(has_its_memory(p));
    EXPECT_TRUE(is_zero(p, table_bytes));
    EXPECT_TRUE(is_untouched(new_table())) << "the first one's filling is not known yet";
    fill_and_free(p);
  }
}

TEST(Zeroed, TablesThatAreHeldAreEvidenceOnce) {
  std::vector<char*> held;
  for (int i = 0; i < filled_for_each_assumed; ++i) {
    held.push_back(new_table());
    EXPECT_TRUE(is_untouched(held.back())) << i;
    memset(held.back(), 1, table_bytes);
  }
  char* const p = new_table();
  EXPECT_TRUE(has_its_memory(p));
  for (char* each : held) deallocate(each);
  EXPECT_TRUE(is_untouched(new_table()));
  memset(p, 1, table_bytes);
  EXPECT_TRUE(has_its_memory(new_table())) << "the price came back";
}

TEST(Zeroed, TablesThatAreFilledLateAreEvidence) {
  fill_and_free_many(filled_for_each_assumed - 1);
  char* const p = new_table();
  char* const q = new_table();
  memset(p, 1, table_bytes);
  EXPECT_TRUE(is_untouched(q));
  memset(q, 1, table_bytes);
  EXPECT_TRUE(has_its_memory(new_table()));
}

TEST(Zeroed, PagesThatTheProgramProtectsAreNotRead) {
  for (int i = 0; i <= filled_for_each_assumed; ++i) {
    char* const p = new_table();
    EXPECT_TRUE(is_untouched(p)) << i;
    memset(p, 1, table_bytes);
    ASSERT_EQ(mprotect(p, table_bytes, PROT_NONE), 0);  // until the process ends
  }
}

TEST(Zeroed, KeptSparseTablesTakeATwentiethOfWhatWasFilled) {
  fill_and_free_many(2);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(is_untouched(new_table())) << i;
  fill_and_free_many(2 * filled_for_each_assumed - 2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(has_its_memory(new_table())) << i;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(is_untouched(new_table())) << i;
}

TEST(Zeroed, KeptSparseTablesAreAFewHoweverMuchWasFilled) {
  fill_and_free_many(6 * filled_for_each_assumed);
  for (std::size_t i = 0; i < direct_map_min / table_bytes; ++i)
    EXPECT_TRUE(has_its_memory(new_table())) << i;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(is_untouched(new_table())) << i;
}

TEST(Zeroed, KeptSparseTablesTakeLittleMemoryThatWasUsedBefore) {
  spans::set_cache_cap(spans::never_purge);
  std::size_t filled = 0, in_vain = 0;
  for (int i = 0; i < 30; ++i) {
    fill_and_free_many(2);
    filled += 2 * table_bytes;
    in_vain += test::resident_bytes(allocate_zeroed(table_bytes), table_bytes);
    EXPECT_LE(in_vain, 32 * MiB + filled / 20) << i;
  }
}

/// A table of which the program has written the first half.
char* used_table() {
  char* const p = static_cast<char*>(allocate_zeroed(table_bytes));
  EXPECT_TRUE(is_zero(p, table_bytes));
  memset(p, 1, table_bytes / 2);
  return p;
}

TEST(Zeroed, UsedMemoryIsClearedAfterATableThatWasFilledInPart) {
  spans::set_cache_cap(spans::never_purge);
  deallocate(used_table());
  EXPECT_TRUE(is_untouched(new_table())) << "memory that was not used is left to fault";
  int was_cleared = 0;
  for (int i = 0; i < 50; ++i) {
    char* const p = static_cast<char*>(allocate_zeroed(table_bytes));
    was_cleared += has_its_memory(p);
    memset(p, 1, table_bytes / 2);
    deallocate(p);
  }
  EXPECT_GE(was_cleared, 49) << "all but the first, whose memory was not used before";
}

TEST(Zeroed, UsedMemoryIsClearedAfterATableThatWasFilled) {
  spans::set_cache_cap(spans::never_purge);
  fill_and_free_many(1);
  EXPECT_TRUE(has_its_memory(used_table()));
}

TEST(Zeroed, UsedMemoryIsNotClearedInVainTwice) {
  spans::set_cache_cap(spans::never_purge);
  for (int i = 0; i < 3; ++i) {
    deallocate(used_table());
    for (const std::size_t resident : {table_bytes, std::size_t{0}}) {
      void* const p = allocate_zeroed(table_bytes);
      EXPECT_EQ(test::resident_bytes(p, table_bytes), resident) << i;
      deallocate(p);
    }
  }
}

TEST(Zeroed, UsedMemoryIsClearedForTablesThatAreLongerThanTheFirst) {
  spans::set_cache_cap(spans::never_purge);
  int was_cleared = 0;
  for (const std::size_t bytes : {3 * MiB, 30 * MiB, 30 * MiB, 30 * MiB, 17 * MiB, 20 * MiB}) {
    void* const p = allocate_zeroed(bytes);
    was_cleared += test::resident_bytes(p, bytes) == bytes;
    EXPECT_TRUE(is_zero(p, bytes));
    memset(p, 1, bytes / 2);
    deallocate(p);
  }
  EXPECT_EQ(was_cleared, 4) << "all after the first that took new memory";
}

TEST(Zeroed, WhatATableGaveUpWasClearedInVain) {
  spans::set_cache_cap(spans::never_purge);
  deallocate(used_table());
  char* const p = static_cast<char*>(allocate_zeroed(table_bytes));
  EXPECT_TRUE(has_its_memory(p));
  ASSERT_EQ(reallocate(p, MiB), p);
  memset(p, 1, MiB);
  deallocate(p);
  EXPECT_TRUE(is_untouched(static_cast<char*>(allocate_zeroed(table_bytes))));
}

TEST(Zeroed, UsedMemoryIsClearedForAFewTablesAtATime) {
  spans::set_cache_cap(spans::never_purge);
  std::size_t in_vain = 0;
  for (int i = 0; i < 30; ++i) {
    deallocate(used_table());
    in_vain += test::resident_bytes(allocate_zeroed(table_bytes), table_bytes);
    EXPECT_LE(in_vain, 32 * MiB) << i;
  }
  EXPECT_GE(in_vain, 24 * MiB);
}

TEST(Zeroed, WhatWasAssumedInVainStaysCounted) {
  fill_and_free_many(filled_for_each_assumed);
  char* const sparse = new_table();
  EXPECT_TRUE(has_its_memory(sparse));
  deallocate(sparse);
  for (int i = 0; i < filled_for_each_assumed; ++i) {
    char* const p = new_table();
    EXPECT_TRUE(is_untouched(p)) << i;
    fill_and_free(p);
  }
  EXPECT_TRUE(has_its_memory(new_table()));
}

TEST(Zeroed, FilledAndSparseTablesInTurn) {
  std::size_t filled = 0, in_vain = 0;
  for (int i = 0; i < 3 * filled_for_each_assumed; ++i) {
    fill_and_free(new_table());
    filled += table_bytes;
    in_vain += test::resident_bytes(new_table(), table_bytes);
    EXPECT_LE(in_vain, filled / 20) << i;
  }
}

TEST(Zeroed, AssumedIsOnlyWhatTheTableStillHasInTheEnd) {
  fill_and_free_many(filled_for_each_assumed);
  char* const p = new_table();
  EXPECT_TRUE(has_its_memory(p));
  ASSERT_EQ(reallocate(p, table_bytes / 2), p);
  memset(p, 1, table_bytes / 2);
  deallocate(p);
  EXPECT_TRUE(is_untouched(new_table()));
}

TEST(Zeroed, WhatATableGrewByWasNotAssumed) {
  fill_and_free_many(filled_for_each_assumed);
  char* const p = new_table();
  EXPECT_TRUE(has_its_memory(p));
  ASSERT_TRUE(try_resize(p, 2 * table_bytes));
  memset(p, 1, 2 * table_bytes);
  deallocate(p);
  EXPECT_TRUE(has_its_memory(new_table()));
  EXPECT_TRUE(is_untouched(new_table()));
}

TEST(Zeroed, TablesFilledWithFewBytesCountAsFilled) {
  for (int i = 0; i < filled_for_each_assumed; ++i) {
    char* const p = new_table();
    for (std::size_t k = 40; k < table_bytes; k += 128) p[k] = 1;  // entries with a byte each
    deallocate(p);
  }
  EXPECT_TRUE(has_its_memory(new_table()));
}

TEST(Zeroed, TablesThatMoveAreNotTakenForFilled) {
  for (int i = 0; i < filled_for_each_assumed; ++i) {
    char* const p = new_table();
    void* const guard = allocate(2 * slice_bytes);
    char* const q = static_cast<char*>(reallocate(p, 2 * table_bytes));  // reads every page
    EXPECT_NE(p, q);
    deallocate(guard);
    deallocate(q);
  }
  EXPECT_TRUE(is_untouched(new_table()));
}

TEST(Zeroed, TablesUsedAtRegularDistancesAreSparse) {
  for (const unsigned entries : {4u, 8u, 16u, 24u, 40u, 64u, 100u}) {
    for (int i = 0; i <= filled_for_each_assumed; ++i) {
      char* const p = new_table();
      ASSERT_TRUE(is_untouched(p)) << entries;
      for (unsigned k = 0; k < entries; ++k) p[table_bytes / entries * k] = 1;
      deallocate(p);
    }
  }
}

TEST(Zeroed, ShortTablesAreLeftToFault) {
  for (int i = 0; i < 50; ++i) {
    hs_purge();
    char* const p = static_cast<char*>(allocate_zeroed(MiB - slice_bytes));
    EXPECT_EQ(test::resident_bytes(p, MiB - slice_bytes), 0u) << i;
    memset(p, 1, MiB - slice_bytes);
    deallocate(p);
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
