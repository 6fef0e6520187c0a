// The cases of an offset region: numbers of 64 bits, on a processor of 32.
#pragma once

#include "heapsmith/offset_region.h"
#include "suite.hpp"

extern "C" void* memset(void* at, int value, std::size_t bytes);

struct offset_cases {
  static inline hs_offset_region region;
  static inline std::uint64_t table[600 * HS_OFFSET_REGION_NODE_BYTES / 8];
  static constexpr std::uint64_t total = std::uint64_t{40} << 30;

  static void start(std::uint64_t granularity, std::size_t table_bytes = sizeof table) {
    memset(&region, 0, sizeof region);
    EXPECT(hs_offset_region_init(&region, total, granularity, table, table_bytes) == 0);
  }

  /// Blocks of up to 8 GiB: compared with a list of all that are live.
  static void random_steps() {
    struct extent {
      hs_offset_block block;
      std::uint64_t bytes;
    };
    constexpr std::size_t slots = 40;
    static extent live[slots];
    for (extent& e : live) e = {};
    start(64);
    std::size_t refused = 0;
    for (int step = 0; step < 5'000; ++step) {
      extent& e = live[suite::random() % slots];
      if (e.block.node != 0) {
        EXPECT(hs_offset_region_size_of(&region, e.block) >= e.bytes);
        if (suite::random() % 4 == 0) {
          const std::uint64_t n = e.bytes / 2 + 1;
          if (hs_offset_region_try_expand(&region, e.block, n) == 0) e.bytes = n;
          continue;
        }
        hs_offset_region_deallocate(&region, e.block);
        EXPECT(hs_offset_region_owns(&region, e.block) == 0);
        e = {};
        continue;
      }
      const std::uint64_t bytes = 1 + (suite::random() % 1000 << suite::random() % 24);
      const std::uint64_t align = std::uint64_t{1} << suite::random() % 34;
      e = {hs_offset_region_allocate(&region, bytes, align), bytes};
      refused += e.block.node == 0;
      if (e.block.node == 0) continue;
      EXPECT(e.block.offset % align == 0 && e.block.offset + bytes <= total);
      for (const extent& o : live)
        EXPECT(&o == &e || o.block.node == 0 || o.block.offset + o.bytes <= e.block.offset ||
               e.block.offset + e.bytes <= o.block.offset);
      if (step % 16 == 0) EXPECT(hs_offset_region_check(&region) == 0);
    }
    EXPECT(refused > 0);
    for (const extent& e : live) hs_offset_region_deallocate(&region, e.block);
    hs_offset_region_statistics s;
    s.size = sizeof s;
    EXPECT(hs_offset_region_stats(&region, &s) == 0);
    EXPECT(s.blocks == 0 && s.free_blocks == 1 && s.largest_free_bytes == total);
    EXPECT(hs_offset_region_check(&region) == 0);
  }

  static void exhaustion() {
    start(4096, 5 * HS_OFFSET_REGION_NODE_BYTES);
    EXPECT(hs_offset_region_allocate(&region, total + 1, 1).node == 0);
    for (int i = 0; i < 3; ++i) EXPECT(hs_offset_region_allocate(&region, 1, 1).node != 0);
    EXPECT(hs_offset_region_allocate(&region, 1, 1).node == 0);
    EXPECT(hs_offset_region_add_table(&region, table + 100, 3200) == 0);
    EXPECT(hs_offset_region_allocate(&region, 1, 1).node != 0);
    EXPECT(hs_offset_region_check(&region) == 0);
  }

  /// Arguments whose low 32 bits are 0 must not count as 0.
  static void large_arguments() {
    start(std::uint64_t{1} << 31);
    const hs_offset_block b = hs_offset_region_allocate(&region, 1, std::uint64_t{1} << 34);
    EXPECT(b.node != 0 && b.offset == 0);
    const hs_offset_block c = hs_offset_region_allocate(&region, 1, std::uint64_t{1} << 34);
    EXPECT(c.node != 0 && c.offset == std::uint64_t{1} << 34);
    EXPECT(hs_offset_region_allocate(&region, 1, (std::uint64_t{1} << 34) + 1).node == 0);
    EXPECT(hs_offset_region_grow(&region, total * 4) == 0);
    EXPECT(hs_offset_region_allocate(&region, total * 2, 1).node != 0);
    hs_offset_region other = {};
    EXPECT(hs_offset_region_init(&other, total, std::uint64_t{1} << 32, table, 64) == 22);
    EXPECT(hs_offset_region_check(&region) == 0);
  }

  static void free_twice() {
    start(1);
    const hs_offset_block b = hs_offset_region_allocate(&region, 100, 1);
    hs_offset_region_deallocate(&region, b);
    hs_offset_region_deallocate(&region, b);
  }
  static void free_foreign() {
    start(1);
    static hs_offset_region other = {};
    static std::uint64_t its[64];
    EXPECT(hs_offset_region_init(&other, 1000, 1, its, sizeof its) == 0);
    hs_offset_region_deallocate(&region, hs_offset_region_allocate(&other, 100, 1));
  }
};
